import HTTPTypes
package import JSONEnvelope

/// One status that an operation answers with. Spec: OpenAPI 3.1, Response Object.
package struct APIAnswer: Sendable {
  package let status: Int
  package let about: String
  package let content: [(mediaType: String, schema: APISchema)]
  /// Header fields.
  package let headers: [APIMember]
  /// What of this answer other operations take.
  package let links: [APILink]
  /// The name of the shared answer that this is.
  package let shared: String?

  package init(
    _ status: Int, _ about: String, _ content: [(mediaType: String, schema: APISchema)] = [],
    headers: [APIMember] = [], links: [APILink] = []
  ) {
    self.init(status, about, content, headers: headers, links: links, shared: nil)
  }

  private init(
    _ status: Int, _ about: String, _ content: [(mediaType: String, schema: APISchema)], headers: [APIMember],
    links: [APILink], shared: String?
  ) {
    self.status = status
    self.about = about
    self.content = content
    self.headers = headers
    self.links = links
    self.shared = shared
  }

  package static func json(
    _ status: Int = 200, _ about: String, _ schema: APISchema, headers: [APIMember] = [], links: [APILink] = []
  ) -> APIAnswer {
    APIAnswer(status, about, [(MediaType.json, schema)], headers: headers, links: links)
  }

  /// 204.
  package static func done(_ about: String) -> APIAnswer { APIAnswer(204, about) }

  /// A status with the usual error object; what it means is said once, for all operations.
  package static func failure(_ status: Int) -> APIAnswer {
    APIAnswer(
      status, failureTexts[status] ?? HTTPResponse.Status(code: status).reasonPhrase,
      [(MediaType.json, .named("Failure"))], headers: failureHeaders[status] ?? [], links: [],
      shared: "Failure\(status)")
  }

  /// 429, in the shape of a refusal that the operation has already; else in the usual one.
  package static func overspent(like refusal: APIAnswer?) -> APIAnswer {
    guard let refusal, refusal.shared == nil else { return .failure(429) }
    return APIAnswer(429, failureTexts[429] ?? "", refusal.content, headers: failureHeaders[429] ?? [])
  }

  /// All that `failure` can stand for, by name.
  package static var sharedFailures: [(String, JSONValue)] {
    failureTexts.keys.sorted().map { status in
      let failure = failure(status)
      return (failure.shared ?? "", failure.ownJSON)
    }
  }

  package static let failureTexts: [Int: String] = [
    400: "The request is not well-formed, or a parameter is missing or not usable; `message` says which and why.",
    401: "The credentials that this needs are missing or wrong.",
    403: "The credentials are good, but not for this.",
    404: "There is nothing of this name or id (any more).",
    409: "It is so already.",
    410: "It has ended.",
    412: "It is not what the request takes it for any more.",
    413: "The body, or a text in it, is too large.",
    415: "The body's content type cannot be used here.",
    416: "What the range asks for is not there.",
    422: "A member is missing or not usable; the answer says which and why.",
    429: "Too much in too short a time.",
    500: "Something is broken in the server.",
    503: "The server starts, stops or has reached a limit: try again after `Retry-After` seconds.",
    507: "The server's storage is full.",
  ]

  private static let retryAfter = APIMember.required("Retry-After", .integer, "Seconds to wait.")
  private static let perhapsRetryAfter = APIMember.optional("Retry-After", .integer, "Seconds, if waiting helps.")

  package static let failureHeaders: [Int: [APIMember]] = [
    401: [.required("WWW-Authenticate", .text, "The scheme that is expected.")],
    429: [perhapsRetryAfter], 503: [retryAfter],
  ]

  package var json: JSONValue { shared.map { ["$ref": .string("#/components/responses/\($0)")] } ?? ownJSON }

  private var ownJSON: JSONValue {
    var members: [(String, JSONValue)] = [("description", .string(about))]
    if !headers.isEmpty {
      members.append(
        ("headers", .object(headers.map { ($0.name, ["required": .bool($0.isRequired), "schema": $0.schema.json]) })))
    }
    if !content.isEmpty { members.append(("content", Self.json(of: content))) }
    if !links.isEmpty { members.append(("links", .object(links.map { ($0.name, $0.json) }))) }
    return .object(members)
  }

  package static func json(of content: [(mediaType: String, schema: APISchema)]) -> JSONValue {
    .object(content.map { ($0.mediaType, ["schema": $0.schema.json]) })
  }
}

/// A value of an answer that is a parameter of another operation. Spec: OpenAPI 3.1, Link Object.
package struct APILink: Sendable {
  package let name: String
  package let operation: String
  package let parameter: String
  /// A runtime expression: `$response.body#/_id`.
  package let value: String

  /// - Parameter pointer: where the value stands in the answer's JSON: `/_id`.
  package init(to operation: String, _ parameter: String, from pointer: String) {
    name = operation
    self.operation = operation
    self.parameter = parameter
    value = "$response.body#\(pointer)"
  }

  package var json: JSONValue {
    ["operationId": .string(operation), "parameters": .object([(parameter, .string(value))])]
  }
}
