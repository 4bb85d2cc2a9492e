package import EdgeSecurity
package import HTTPTypes
package import JSONEnvelope

/// One method of one path, as a caller has to know it. Spec: OpenAPI 3.1, Operation Object.
package struct APIOperation: Sendable {
  package let method: HTTPRequest.Method
  /// With its parameters in braces: `/agent/1/chats/{chat}`.
  package let path: String
  /// As the router has it: a last parameter that takes the rest of the path is a wildcard there.
  package var routerPath: String {
    guard let last = parameters.last(where: \.takesRest) else { return path }
    return path.replacing("{\(last.member.name)}", with: "**")
  }
  /// Names the operation in generated clients; unique.
  package let id: String
  package let summary: String
  package let about: String?
  package let access: APIAccess
  /// What it costs a stranger; nil for what costs nothing.
  package let budget: BudgetedAction?
  package let parameters: [APIParameter]
  package let body: APIBody?
  /// With those that every operation has.
  package let answers: [APIAnswer]

  /// - Parameter failures: the statuses that come with the usual error object, beside those that come of themselves:
  ///   503 while the server starts or stops, 413 for a body that is too large, 507 when a change can no longer be
  ///   stored.
  package init(
    _ method: HTTPRequest.Method, _ path: String, _ id: String, _ summary: String, about: String? = nil,
    access: APIAccess, budget: BudgetedAction? = nil, parameters: [APIParameter] = [], body: APIBody? = nil,
    answers: [APIAnswer], failures: [Int] = []
  ) {
    self.method = method
    self.path = path
    self.id = id
    self.summary = summary
    self.about = about
    self.access = access
    self.budget = budget
    self.parameters = parameters
    self.body = body
    var usual = access.failures + (method == .get ? [503] : [413, 503, 507])
    // Wrong credentials, or whatever else strangers may do so often and no oftener.
    if !access.failures.isEmpty || budget != nil { usual.append(429) }
    let told = Set(answers.map(\.status))
    let others = Set(failures + usual).subtracting(told).sorted()
    // A surface that refuses in a shape of its own does so here too.
    let refusal = answers.first { $0.status == 401 }
    self.answers = answers + others.map { $0 == 429 ? .overspent(like: refusal) : .failure($0) }
  }

  package func json(tag: String) -> JSONValue {
    var members: [(String, JSONValue)] = [
      ("tags", [.string(tag)]), ("operationId", .string(id)), ("summary", .string(summary)),
    ]
    if let about { members.append(("description", .string(about))) }
    members.append(("security", access.json))
    if !parameters.isEmpty { members.append(("parameters", .array(parameters.map(\.json)))) }
    if let body { members.append(("requestBody", body.json)) }
    members.append(("responses", .object(answers.map { (String($0.status), $0.json) })))
    return .object(members)
  }
}

/// Something that a request says beside its body. Spec: OpenAPI 3.1, Parameter Object.
package struct APIParameter: Sendable {
  package enum Place: String { case path, query, header }

  package let place: Place
  package let member: APIMember
  /// Of a path: it may hold slashes.
  package let takesRest: Bool

  package init(place: Place, member: APIMember, takesRest: Bool = false) {
    self.place = place
    self.member = member
    self.takesRest = takesRest
  }

  /// The rest of the path, however many parts it has.
  package static func rest(_ name: String, _ about: String, _ schema: APISchema) -> APIParameter {
    APIParameter(place: .path, member: .required(name, schema, about), takesRest: true)
  }

  package static func path(_ name: String, _ about: String, _ schema: APISchema = .text(1...256)) -> APIParameter {
    APIParameter(place: .path, member: .required(name, schema, about))
  }

  package static func query(_ name: String, _ about: String, _ schema: APISchema = .text) -> APIParameter {
    APIParameter(place: .query, member: .optional(name, schema, about))
  }

  package static func requiredQuery(_ name: String, _ about: String, _ schema: APISchema = .text) -> APIParameter {
    APIParameter(place: .query, member: .required(name, schema, about))
  }

  package static func header(_ name: String, _ about: String, _ schema: APISchema = .text) -> APIParameter {
    APIParameter(place: .header, member: .optional(name, schema, about))
  }

  package static func requiredHeader(_ name: String, _ about: String, _ schema: APISchema = .text) -> APIParameter {
    APIParameter(place: .header, member: .required(name, schema, about))
  }

  /// With a value that means something.
  package func example(_ value: JSONValue) -> APIParameter {
    APIParameter(
      place: place,
      member: APIMember(
        name: member.name, schema: member.schema.example(value), isRequired: member.isRequired),
      takesRest: takesRest)
  }

  package var json: JSONValue {
    var schema = member.schema.keywords
    let about = schema["description"] ?? ""
    schema["description"] = nil
    return .object([
      ("name", .string(member.name)), ("in", .string(place.rawValue)), ("required", .bool(member.isRequired)),
      ("description", about), ("schema", .object(schema)),
    ])
  }
}

/// The body of a request: the same in each of these media types. Spec: OpenAPI 3.1, Request Body Object.
package struct APIBody: Sendable {
  package let content: [(mediaType: String, schema: APISchema)]
  package let isRequired: Bool

  package init(content: [(mediaType: String, schema: APISchema)], isRequired: Bool) {
    self.content = content
    self.isRequired = isRequired
  }

  /// Parameters as the customers' surface takes them: an object, a form, or a multipart form. Spec: GMS 2.3.
  package static func parameters(_ members: [APIMember]) -> APIBody {
    let schema = APISchema.object(members)
    return APIBody(
      content: [
        (MediaType.json, schema), (MediaType.form, schema), (MediaType.multipart, schema),
      ], isRequired: members.contains(where: \.isRequired))
  }

  package static func json(_ schema: APISchema, isRequired: Bool = true) -> APIBody {
    APIBody(content: [(MediaType.json, schema)], isRequired: isRequired)
  }

  package static func form(_ members: [APIMember]) -> APIBody {
    APIBody(content: [(MediaType.form, .object(members))], isRequired: members.contains(where: \.isRequired))
  }

  package var json: JSONValue {
    .object([("required", .bool(isRequired)), ("content", APIAnswer.json(of: content))])
  }
}

extension MediaType {
  package static let json = "application/json"
}
