import EdgeSecurity
import HTTPKit
import HTTPTypes
import JSONEnvelope

/// Spec: support requests 8; Zendesk's Attachments API.
extension SupportFileRoutes {
  static let file = Operation<SupportFileRoutes>.support(
    .get, "/attachments/token/{token}", "getSupportFile", "A file", about: "Whoever has the address may have it.",
    access: .open, parameters: [token],
    answers: [
      APIAnswer(
        200, "The file, not to be shown.", [("application/octet-stream", .bytes)], headers: [.required("ETag")]),
      .unchanged,
    ], failures: [404]
  ) { routes, _, request, context in try await routes.file(request, context) }

  private static let token = APIParameter.path("token", "The token of the upload.")

  /// - Parameter suffix: keeps the operations of an alias apart.
  static func uploads(_ prefix: String, _ suffix: String) -> [Operation<SupportFileRoutes>] {
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
        ], failures: [422]
      ) { try await $0.upload($2, $3, by: $1) },
      .support(
        .delete, "\(prefix)/uploads/{token}", "deleteSupportFile\(suffix)", "Delete an upload of one's own",
        about: "Only who uploaded it may delete it, or name it in a comment.", access: .supportAnyone,
        parameters: [token], answers: [.done("It is gone.")], failures: [404]
      ) { routes, actor, _, context in try await routes.delete(context, by: actor) },
    ]
  }
}
