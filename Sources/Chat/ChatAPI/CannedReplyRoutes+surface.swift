import ChatDomain
import ChatEngine
import EngineKit
package import HTTPKit
import HTTPTypes
import JSONEnvelope

extension CannedReplyRoutes {
  package static let surface = RoutedSurface<CannedReplyRoutes>(
    "canned replies",
    """
    Texts that staff keep to say them again: an agent's own, which nobody else finds, and those that all share, which \
    supervisors and operators write. Whoever sends one fills its placeholders from the chat: `{{customer.NAME}}` from a \
    field of the attached data, \(CannedReplyPlaceholder.ofChat.map { "`{{chat.\($0)}}`" }.joined(separator: ", ")) from \
    what the chat's summary calls so. Others are refused; single braces are text.
    """,
    [
      Operation(
        .get, "/agent/1/canned", "listCannedReplies",
        "Canned replies, one's own first, in the order of their shortcuts",
        about: "All at once: an owner has at most \(CannedReplyBook.repliesMaximum).", access: .staff,
        parameters: [
          .query("language", "Those in this language, a wider or a narrower one (`de`, `de-at`), or in none.", language)
        ],
        answers: [
          .json(200, "The replies.", .object([.required("replies", .list(of: .named("CannedReply")))]))
        ], failures: [400]
      ) { routes, token, request, _ in try await routes.list(token, request) },
      Operation(
        .post, "/agent/1/canned", "addCannedReply", "Keep a text to say it again", about: taken, access: .staff,
        body: .json(
          .object(
            draft + [
              .optional(
                "scope", APISchema.oneOf(scopes).byDefault("own"),
                "`shared`: for all; only supervisors and operators, who have no others, may.")
            ])),
        answers: [.json(201, "It is kept.", .named("CannedReply"))], failures: [400, 409]
      ) { routes, token, request, _ in try await routes.add(token, request) },
      Operation(
        .put, "/agent/1/canned/{id}", "changeCannedReply", "Put another text in the place of one",
        about: "A member that is not there is empty from then on. " + taken, access: .staff, parameters: [id],
        body: .json(.object(draft)), answers: [.json(200, "It is kept.", .named("CannedReply"))],
        failures: [400, 404, 409]
      ) { routes, token, request, context in try await routes.change(token, request, context) },
      Operation(
        .delete, "/agent/1/canned/{id}", "removeCannedReply", "Give one up", access: .staff, parameters: [id],
        answers: [.done("It is gone.")], failures: [400, 404]
      ) { routes, token, request, context in try await routes.remove(token, request, context) },
    ], schemas: [("CannedReply", reply)])

  private static let taken =
    "409: its owner has this shortcut in this language already, or as many replies as there may be."

  private static let id: APIParameter = .path("id", "The reply's id.")
  private static let scopes = CannedReplies.Scope.allCases.map(\.rawValue)
  private static let language = APISchema.text(pattern: "^[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8}){0,3}$")

  private static let draft: [APIMember] = [
    .required(
      "shortcut", .text(pattern: "^[A-Za-z0-9_-]{1,\(CannedReplyContent.shortcutBytesMaximum)}$"),
      "What one types behind `/`. Capitals become small."),
    .optional("language", language.orNull, "The tag of a language; none: for all."),
    // So many characters are never more bytes than there may be.
    .required(
      "text", .text(1...CannedReplyContent.textBytesMaximum / 4),
      "At most \(CannedReplyContent.textBytesMaximum) bytes of UTF-8."),
  ]

  private static let reply = APISchema.object([
    .required("id"), .required("scope", .oneOf(scopes), "Whose it is."), .required("shortcut"),
    .optional("language", .text, "Absent: for all."), .required("text"), .required("savedAt", .time),
    .required("savedBy", .text, "The name of a token."),
  ])
}
