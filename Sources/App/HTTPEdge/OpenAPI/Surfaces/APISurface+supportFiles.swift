import EdgeSecurity
import HTTPTypes
import JSONEnvelope

/// Spec: support requests 8; Zendesk's Attachments API.
extension APISurface {
  static let supportFiles = APISurface(
    "support files", "Files are uploaded first; a comment names them by their tokens, within the hour.",
    uploads("/api/v2", "") + uploads("/api/mobile", "Mobile") + [
      .support(
        .get, "/attachments/token/{token}", "getSupportFile", "A file", about: "Whoever has the address may have it.",
        access: .open, parameters: [token],
        answers: [
          APIAnswer(
            200, "The file, not to be shown.", [("application/octet-stream", .bytes)], headers: [.required("ETag")]),
          .unchanged,
        ], failures: [404])
    ])

  private static let token = APIParameter.path("token", "The token of the upload.")

  private static func uploads(_ prefix: String, _ suffix: String) -> [APIOperation] {
    [
      .support(
        .post, "\(prefix)/uploads", "uploadSupportFile\(suffix)", "Upload a file", access: .supportAnyone,
        budget: .uploads,
        parameters: [.requiredQuery("filename", "What it is called.", .text(1...256))],
        body: APIBody(content: [("application/octet-stream", .bytes)], isRequired: true),
        answers: [
          .json(
            201, "It is kept for an hour unless a comment takes it.",
            .object([
              .required(
                "upload",
                .object([
                  .required("token"), .required("attachment", .named("SupportAttachment")),
                  .required("attachments", .list(of: .named("SupportAttachment"))),
                ]))
            ]))
        ], failures: [422]),
      .support(
        .delete, "\(prefix)/uploads/{token}", "deleteSupportFile\(suffix)", "Delete an upload of one's own",
        about: "Only who uploaded it may delete it, or name it in a comment.", access: .supportAnyone,
        parameters: [token], answers: [.done("It is gone.")], failures: [404]),
    ]
  }
}
