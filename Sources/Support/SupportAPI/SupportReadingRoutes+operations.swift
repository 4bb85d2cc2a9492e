import HTTPKit
import HTTPTypes
import JSONEnvelope

/// Spec: support requests 6.2.
extension SupportReadingRoutes {
  /// - Parameter suffix: keeps the operations of an alias apart.
  static func operations(_ prefix: String, _ suffix: String) -> [Operation<SupportReadingRoutes>] {
    [
      .support(
        .get, "\(prefix)/requests/updates", "listSupportUpdates\(suffix)", "Requests with unread comments",
        about: "Carillon's own. Counted anew each time.", access: .supportUser,
        parameters: [.query("device", "The identifier of one's device; without it, the user's own reading counts.")],
        answers: [
          .tagged(
            "Those requests.",
            .object([
              .required(
                "updates",
                .list(of: .object([.required("request_id", .integer), .required("unread", .integer)]))),
              .required("count", .integer),
            ])), .unchanged,
        ], failures: [404, 422]
      ) { routes, actor, request, _ in try await routes.updates(request, for: actor) },
      .support(
        .post, "\(prefix)/requests/{id}/read", "readSupportRequest\(suffix)", "Comments have been read",
        about: "Carillon's own.", access: .supportUser, parameters: [.supportRequest],
        body: .json(
          .object([
            .optional("comment_id", .integer, "The last one that was read; else all are."),
            .optional("device", .text, "The identifier of the device that has shown them."),
          ]), isRequired: false), answers: [.done("That far they are read.")], failures: [404, 422]
      ) { try await $0.read($2, $3, by: $1) },
    ]
  }
}
