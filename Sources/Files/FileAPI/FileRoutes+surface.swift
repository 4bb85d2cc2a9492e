import ChatAPI
import ChatDomain
import EdgeSecurity
package import HTTPKit
import HTTPTypes
import JSONEnvelope

extension FileRoutes {
  package static let surface = RoutedSurface<FileRoutes>(
    "files",
    """
    Files in chats. Each is an event of the transcript, which clients see as `Notice.File`, or as `Notice.PushUrl` with its \
    URL if they do not say that they know it (`_file_events` at the start of the chat; agents get both in one line). Only \
    PNG, JPEG, GIF and WebP are shown by browsers, all else is saved. They live as long as their chat does.
    """,
    [
      Operation(
        .post, "/genesys/1/service/{service}/ixn/chat/file", "sendFile", "Send a file", about: rules,
        access: .customer, budget: .uploads, parameters: [.serviceID, name, .ownerKey], body: body, answers: [posted],
        failures: failures
      ) { try await $0.send($1, $2) },
      Operation(
        .get, "/genesys/1/service/{service}/ixn/chat/file/{file}", "getChatFile", "A file of one's chat",
        about: "Also when the chat is over, as long as its instance is there.", access: .customer,
        parameters: [.serviceID, file, .ownerKey, unchanged], answers: contents, failures: [400, 404, 500]
      ) { try await $0.file($1, $2) },
      Operation(
        .post, "/agent/1/chats/{chat}/file", "sendAgentFile", "Send a file", about: rules, access: .agent,
        parameters: [chat, name], body: body, answers: [posted], failures: failures + [403]
      ) { try await $0.send($1, $2, $3) },
      Operation(
        .get, "/agent/1/chats/{chat}/file/{file}", "getAgentFile", "A file of a chat",
        about: "For whoever may read the transcript.", access: .agent, parameters: [chat, file, unchanged],
        answers: contents, failures: [400, 404, 500]
      ) { try await $0.file($1, $2, $3) },
    ],
    schemas: [
      (
        "PostedFile",
        .object(.named("ChatFile"), and: [.required("position", .integer, "Of its event.")])
      )
    ])

  private static let rules = """
    The body is the file, and `name` what it is called; or a form with one file in it. Folders, control characters and \
    marks of direction are taken out of the name. The first bytes have to fit the content type, where either says \
    something. At most \(ChatLimits().filesMaximum) files and \(ChatLimits().filesBytesMaximum) bytes in one chat, \
    \(ChatLimits().fileBytesMaximum) bytes in one, and no more than `limits.storage_body_bytes`. 422: the server's scan \
    has refused it.
    """

  private static let failures = [400, 404, 413, 415, 422, 507]

  private static let chat: APIParameter = .path("chat", "The chat's id: `chatId`.")
  private static let file: APIParameter = .path("file", "The file's id.")
  private static let name: APIParameter = .query(
    "name", "What it is called; of a form the name of its file, if this is not there.",
    .text(1...ChatLimits.fileNameBytesMaximum))
  private static let unchanged: APIParameter = .header("If-None-Match", "An `ETag` that one has.")

  private static let body = APIBody(
    content: [
      ("application/octet-stream", .bytes), (MediaType.multipart, .object([.required("file", .bytes)])),
    ], isRequired: true)

  private static let posted = APIAnswer.json(201, "It was sent.", .named("PostedFile"))

  private static let contents = [
    APIAnswer(
      200, "The file, as it was sent.", [("*/*", .bytes)],
      headers: [
        .required("ETag"), .required("Content-Disposition", .text, "`inline` for pictures, else `attachment`."),
        .required("Content-Security-Policy"), .required("X-Content-Type-Options"),
      ]),
    APIAnswer(304, "It is what `If-None-Match` names.", headers: [.required("ETag")]),
  ]
}
