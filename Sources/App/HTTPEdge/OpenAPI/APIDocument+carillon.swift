import Engine
import JSONEnvelope

extension APIDocument {
  /// All that this server can be asked.
  static let carillon = APIDocument(
    about: about, surfaces: EdgeRouter.surfaces.map(\.description), webhooks: PostedEvent.webhooks, failure: failure)

  private static let about = """
    A server for chat, callbacks and push messages, which keeps a conversation alive when the phone goes to sleep.

    Parameters of the customers' paths (`/genesys`, `/devices`) come as JSON, as a form, as a multipart form, or in the
    query string; of a name that comes twice, the body's value counts. Errors are JSON objects with `message` and
    `exception`, and below `/api` and `/access` with `error` and `description`. Members that are not described here may come in any answer: ignore them. Any connection may be answered
    with 408 (too slow), 414 and 431 (a target or a head that is too long) before its request reaches an operation.

    Webhooks are the requests that the server makes. What back ends publish comes in the same way, under the tags that
    they gave it.
    """

  /// Spec: GMS 2.4.
  private static let failure = APISchema.object([
    .required("message", .text, "For people."), .required("exception", .text, "For programs."),
    .optional("phrase", .text, "`BAD_PARAMETER` if a parameter is to blame."),
    .optional("code", .integer(400...599), "The status once more."),
    .optional("error", .oneOf("SLOT_UNAVAILABLE"), "Of a callback at a time for which there is no room."),
    .optional("availability", .map(of: .integer), "When there is."),
  ])
}
