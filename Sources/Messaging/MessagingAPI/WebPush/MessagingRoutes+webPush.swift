package import HTTPKit
import HTTPTypes
import JSONEnvelope

/// The push service of browsers. Spec: GCM D5; RFC 8030, 8291, 8292.
extension MessagingRoutes {
  package static let webPush = RoutedSurface<MessagingRoutes>(
    "web push", "Servers of web pages send to browsers; the body is encrypted for the page.",
    [push("/fcm/send/{token}", "pushToBrowser"), push("/wp/{token}", "pushToSubscription")])

  private static func push(_ path: String, _ id: String) -> Operation<MessagingRoutes> {
    Operation(
      .post, path, id, "Send to a subscription", access: .webPush,
      parameters: [
        .registrationToken, .requiredHeader("TTL", "Seconds that it may wait.", .text(pattern: "^[0-9]{1,10}$")),
        .header("Urgency", "How important it is.", .oneOf("very-low", "low", "normal", "high")),
        .header("Topic", "Replaces a waiting message of the same topic.", .text(pattern: "^[A-Za-z0-9_-]{1,32}$")),
        .header(
          "Content-Encoding", "How the body is encrypted; needed if there is one.", .oneOf("aes128gcm", "aesgcm")),
        .header("Crypto-Key", "`dh=…`, for aesgcm."), .header("Encryption", "`salt=…`, for aesgcm."),
      ],
      body: APIBody(
        content: [
          ("application/octet-stream", .bytes.with("maxLength", .integer(Int64(EdgeLimits.webPushBodyBytesMaximum))))
        ],
        isRequired: false),
      answers: [
        APIAnswer(
          201, "The push service has it.",
          headers: [
            .required("Location", .text, "Names the message."),
            .required("TTL", .text(pattern: "^[0-9]+$"), "Seconds that it really waits."),
          ])
      ], failures: [400, 403, 404, 410, 429]
    ) { try await $0.pushService.push($1, $2) }
  }
}
