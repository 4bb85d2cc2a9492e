import EdgeSecurity
import HTTPKit
import HTTPTypes
import Hummingbird
import JSONEnvelope

// Support's own dialect of errors. Spec: support requests 8.

extension Operation {
  /// With the errors of support's dialect in the place of the usual ones. Its path may end in `.json` as well.
  static func support<Caller>(
    _ method: HTTPRequest.Method, _ path: String, _ id: String, _ summary: String, about: String? = nil,
    access: Admission<Routes, Caller>, budget: BudgetedAction? = nil, parameters: [APIParameter] = [],
    body: APIBody? = nil, answers: [APIAnswer], failures: [Int] = [],
    _ handler: @escaping @Sendable (Routes, Caller, Request, EdgeRequestContext) async throws -> Response
  ) -> Operation {
    var expected = failures + access.described.failures + (method == .get ? [503] : [413, 503, 507])
    if body != nil { expected += [400, 415] }
    let others = Set(expected).subtracting(answers.map(\.status)).sorted()
    return Operation(
      method, path, id, summary, about: about, access: access, budget: budget, parameters: parameters, body: body,
      answers: answers + others.map { .supportFailure($0) }, handler)
  }
}

extension APIAnswer {
  static func supportFailure(_ status: Int) -> APIAnswer {
    .json(
      status, failureTexts[status] ?? HTTPResponse.Status(code: status).reasonPhrase, .named("SupportError"),
      headers: failureHeaders[status] ?? [])
  }

  /// A GET that need not be answered again.
  static let unchanged = APIAnswer(304, "It is what `If-None-Match` names.", headers: [.required("ETag")])

  static func tagged(_ about: String, _ schema: APISchema) -> APIAnswer {
    .json(200, about, schema, headers: [.required("ETag")])
  }
}

extension APIParameter {
  static let supportRequest = APIParameter.path("id", "The request's number.", .text(pattern: "^[0-9]{1,18}$"))
  static let clientIdentifier = APIParameter.header("Client-Identifier", "The client id of the SDK's app.")
  static let page = APIParameter.query("page", "From 1 on.", APISchema.integer.byDefault(1))
  static let perPage = APIParameter.query(
    "per_page", "More are not given.",
    .integer(1...EdgeLimits.supportPageMaximum).byDefault(.integer(Int64(EdgeLimits.supportPageMaximum))))
  static let include = APIParameter.query(
    "include", "Of `first_comment`, `last_comment` and `users`, with commas between.")
}
