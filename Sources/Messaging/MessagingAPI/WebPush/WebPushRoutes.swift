import EntityRuntime
import EventSourcing
import GCMProtocol
import HTTPKit
import HTTPTypes
import Hummingbird
import MessagingEngine
import PushDomain
import TextEncoding

/// The push service of browsers. The body is encrypted already, for the page alone. Spec: GCM D5; RFC 8030, 8291, 8292.
struct WebPushRoutes {
  let messaging: MessagingService
  let tokens: TokenStore
  let settings: MessagingEdgeSettings

  func push(_ request: Request, _ context: EdgeRequestContext) async throws -> Response {
    let origin = settings.address.origin(request, context)
    let publicKey = try publicKey(of: request, context, origin: origin)
    let message = try WebPushMessage(
      request.headers, body: try await request.bytes(upTo: EdgeLimits.webPushBodyBytesMaximum))
    guard let token = PathText.token(context) else { throw EdgeFailure.notFound }
    switch try await messaging.webPush(message, to: token, publicKey: publicKey) {
    case .accepted(let id, _):
      let name = String(id.flatMap { $0 == "%" ? Array("%25") : [$0] })
      return Response(
        status: .created, headers: [.location: "\(origin)/\(name)", .timeToLive: "\(message.timeToLive)"])
    case .failed(let error): throw Self.failure(error, isAuthenticated: publicKey != nil)
    }
  }

  /// The key that the sender has shown to be its own; nil if it has shown none.
  /// - Throws: if it has tried to.
  private func publicKey(
    of request: Request, _ context: EdgeRequestContext, origin: String
  ) throws(EdgeFailure) -> String? {
    guard let authorization = request.headers[.authorization] else { return nil }
    // Pages that have subscribed with a sender's id are sent to with the sender's key.
    if let sender = request.sender(in: tokens, context) { return sender.sender }
    do throws(VAPIDAuthorization.Failure) {
      let vapid = try VAPIDAuthorization(authorization: authorization, cryptoKey: request.headers[.cryptoKey])
      let origins = settings.webPushOrigins.union([origin]).map { VAPIDAuthorization.normalized($0) }
      try vapid.verify(origins: Set(origins), now: SystemTime().now.milliseconds / 1_000)
      return vapid.publicKey
    } catch .rejected(let reason) {
      throw .forbidden("The VAPID token is of no use: \(reason)")
    } catch {
      throw .vapidRequired
    }
  }

  private static func failure(_ error: DownstreamError, isAuthenticated: Bool) -> EdgeFailure {
    switch error {
    case .notRegistered: EdgeFailure(.gone, "The subscription has ended", exception: "GoneException")
    case .invalidRegistration, .missingRegistration: .notFound
    case .mismatchSenderID:
      isAuthenticated ? .forbidden("The subscription was made for another key") : .vapidRequired
    case .messageTooBig: .bodyTooLarge(limit: EdgeLimits.webPushBodyBytesMaximum)
    case .deviceMessageRateExceeded, .topicsMessageRateExceeded:
      EdgeFailure.tooManyMessages
    case .unavailable, .internalServerError: .unavailable("The server is not ready")
    default: .malformed(error.rawValue)
    }
  }
}

extension WebPushMessage {
  /// - Throws: if a header is missing, or is not what it must be. Spec: RFC 8030, 5.2-5.4; RFC 8291, 4.
  init(_ headers: HTTPFields, body: [UInt8]) throws(EdgeFailure) {
    guard let text = headers[.timeToLive] else { throw .missingParameter("TTL") }
    guard !text.isEmpty, text.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) else {
      throw .badParameter("TTL", "is not a number of seconds")
    }
    // Longer than an Int is longer than four weeks. The answer says what has become of it.
    let timeToLive = min(Int(text) ?? .max, DownstreamLimits.timeToLiveMaximum)
    let priority: PushPriority
    switch headers[.urgency]?.lowercased() {
    case "high": priority = .high
    case nil, "very-low", "low", "normal": priority = .normal
    default: throw .badParameter("Urgency", "is not one of very-low, low, normal, high")
    }
    if let topic = headers[.topic] {
      guard (1...EdgeLimits.webPushTopicBytesMaximum).contains(topic.utf8.count),
        topic.utf8.allSatisfy(Base64.isForURL)
      else {
        throw .badParameter("Topic", "is not 1 to \(EdgeLimits.webPushTopicBytesMaximum) letters of URL-safe Base64")
      }
    }
    self.init(
      body: body, headers: body.isEmpty ? [] : try Self.coding(headers), timeToLive: timeToLive,
      topic: headers[.topic], priority: priority)
  }

  /// What the receiver needs to decrypt it, in lower case. Spec: GCM D5.1.
  private static func coding(_ headers: HTTPFields) throws(EdgeFailure) -> [MailPair] {
    switch headers[.contentEncoding]?.lowercased() {
    case "aes128gcm": return [MailPair("content-encoding", "aes128gcm")]
    case "aesgcm":
      // Nothing but what belongs to the encryption: the sender's key stands in the same header, and clients exist that
      // take all behind `dh=` for the key.
      guard let key = headers[.cryptoKey].flatMap({ HeaderParameters($0)["dh"] }), Base64.decode(key) != nil else {
        throw .badParameter("Crypto-Key", "has no dh")
      }
      guard let salt = headers[.encryption].flatMap({ HeaderParameters($0)["salt"] }), Base64.decode(salt) != nil
      else { throw .badParameter("Encryption", "has no salt") }
      return [
        MailPair("content-encoding", "aesgcm"), MailPair("crypto-key", "dh=\(key)"),
        MailPair("encryption", "salt=\(salt)"),
      ]
    default: throw .badParameter("Content-Encoding", "is not one of aes128gcm, aesgcm")
    }
  }
}

extension HTTPField.Name {
  fileprivate static let timeToLive = HTTPField.Name("TTL")!
  fileprivate static let urgency = HTTPField.Name("Urgency")!
  fileprivate static let topic = HTTPField.Name("Topic")!
  fileprivate static let cryptoKey = HTTPField.Name("Crypto-Key")!
  fileprivate static let encryption = HTTPField.Name("Encryption")!
}
