package import EdgeSecurity
package import HTTPTypes
package import Hummingbird

/// One method of one path, said once: what a caller has to know of it, and what answers it. The router's entry, the
/// description (OpenAPI) and the table of what costs strangers something follow from it.
///
/// - Parameter Routes: what its handler works with; a server binds it to one of its own.
package struct Operation<Routes: Sendable>: Sendable {
  package typealias Handler = @Sendable (Routes, Request, EdgeRequestContext) async throws -> Response

  package let description: APIOperation
  /// Makes the route; nil for what is answered before the router is asked.
  package let bind: (@Sendable (Routes) -> EdgeRoute)?

  /// An operation that is answered before the router is asked.
  package init(pastRouter description: APIOperation) {
    self.description = description
    bind = nil
  }

  package init(_ description: APIOperation, _ handler: @escaping Handler) {
    self.description = description
    bind = { routes in { try await handler(routes, $0, $1) } }
  }

  /// - Parameters:
  ///   - failures: as for `APIOperation`, whose description of the others holds as well.
  ///   - handler: judges itself who asks.
  package init(
    _ method: HTTPRequest.Method, _ path: String, _ id: String, _ summary: String, about: String? = nil,
    access: APIAccess, budget: BudgetedAction? = nil, parameters: [APIParameter] = [], body: APIBody? = nil,
    answers: [APIAnswer], failures: [Int] = [], _ handler: @escaping Handler
  ) {
    self.init(
      APIOperation(
        method, path, id, summary, about: about, access: access, budget: budget, parameters: parameters, body: body,
        answers: answers, failures: failures), handler)
  }

  /// - Parameter handler: is told who asks; nobody else reaches it.
  package init<Caller>(
    _ method: HTTPRequest.Method, _ path: String, _ id: String, _ summary: String, about: String? = nil,
    access: Admission<Routes, Caller>, budget: BudgetedAction? = nil, parameters: [APIParameter] = [],
    body: APIBody? = nil, answers: [APIAnswer], failures: [Int] = [],
    _ handler: @escaping @Sendable (Routes, Caller, Request, EdgeRequestContext) async throws -> Response
  ) {
    self.init(
      method, path, id, summary, about: about, access: access.described, budget: budget, parameters: parameters,
      body: body, answers: answers, failures: failures
    ) { routes, request, context in
      try await handler(routes, try await access.admit(routes, request, context), request, context)
    }
  }

  /// The same operation of whoever has such routes.
  package func of<Whole: Sendable>(_ routes: @escaping @Sendable (Whole) -> Routes) -> Operation<Whole> {
    guard let bind else { return Operation<Whole>(pastRouter: description) }
    return Operation<Whole>(description: description) { bind(routes($0)) }
  }

  private init(description: APIOperation, bind: @escaping @Sendable (Routes) -> EdgeRoute) {
    self.description = description
    self.bind = bind
  }
}
