import Crypto
import Engine
import HTTPTypes
import JSONEnvelope

/// The description of all that Carillon says over HTTP, for people and for tools. Spec: OpenAPI 3.1.
struct APIDocument: Sendable {
  let surfaces: [APISurface]

  static let carillon = APIDocument(surfaces: EdgeRouter.surfaces.map(\.description))

  var operations: [APIOperation] { surfaces.flatMap(\.operations) }

  /// - Parameter version: the server's.
  func json(version: String) -> JSONValue {
    [
      "openapi": "3.1.0",
      "info": [
        "title": "Carillon", "version": .string(version),
        "license": ["name": "Apache 2.0", "identifier": "Apache-2.0"],
        "description": .string(Self.about),
      ],
      "servers": [["url": "/"]],
      "tags": .array(surfaces.map { ["name": .string($0.name), "description": .string($0.about)] }),
      "paths": .object(paths), "webhooks": .object(PostedEvent.webhooks),
      "components": [
        "schemas": .object(schemas), "responses": .object(APIAnswer.sharedFailures),
        "securitySchemes": .object(APIAccess.schemes),
      ],
    ]
  }

  private static let about = """
    A server for chat, callbacks and push messages, which keeps a conversation alive when the phone goes to sleep.

    Parameters of the customers' paths (`/genesys`, `/devices`) come as JSON, as a form, as a multipart form, or in the
    query string; of a name that comes twice, the body's value counts. Errors are JSON objects with `message` and
    `exception`, and below `/api` and `/access` with `error` and `description`. Members that are not described here may come in any answer: ignore them. Any connection may be answered
    with 408 (too slow), 414 and 431 (a target or a head that is too long) before its request reaches an operation.

    Webhooks are the requests that the server makes. What back ends publish comes in the same way, under the tags that
    they gave it.
    """

  /// Operations of one path stand together, in the order in which the path is named first.
  private var paths: [(String, JSONValue)] {
    var paths: [(name: String, item: JSONObject)] = []
    for surface in surfaces {
      for operation in surface.operations {
        let place = paths.firstIndex { $0.name == operation.path } ?? paths.endIndex
        if place == paths.endIndex { paths.append((operation.path, [:])) }
        paths[place].item[operation.method.rawValue.lowercased()] = operation.json(tag: surface.name)
      }
    }
    return paths.map { ($0.name, .object($0.item)) }
  }

  private var schemas: [(String, JSONValue)] {
    [("Failure", Self.failure.json)] + surfaces.flatMap(\.schemas).map { ($0.name, $0.schema.json) }
  }

  /// Spec: GMS 2.4.
  private static let failure = APISchema.object([
    .required("message", .text, "For people."), .required("exception", .text, "For programs."),
    .optional("phrase", .text, "`BAD_PARAMETER` if a parameter is to blame."),
    .optional("code", .integer(400...599), "The status once more."),
    .optional("error", .oneOf("SLOT_UNAVAILABLE"), "Of a callback at a time for which there is no room."),
    .optional("availability", .map(of: .integer), "When there is."),
  ])
}

/// The description as it is served.
struct APIDocumentText: Sendable {
  let bytes: [UInt8]
  /// Changes with the text.
  let entityTag: String

  init(_ document: APIDocument, version: String) {
    bytes = document.json(version: version).text
    entityTag = "\"\(AccessToken.hexadecimal(SHA256.hash(data: bytes).prefix(16)))\""
  }
}
