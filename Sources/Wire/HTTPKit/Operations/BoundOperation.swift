package import HTTPTypes
package import Hummingbird

/// A method of a path of one server, and what answers it.
package struct BoundOperation: Sendable {
  package let method: HTTPRequest.Method
  /// With its parameters in braces, as the description and the router have them.
  package let path: String
  package let route: EdgeRoute
}

package typealias EdgeRoutes = Router<EdgeRequestContext>
package typealias EdgeRoute = @Sendable (Request, EdgeRequestContext) async throws -> Response

extension Router<EdgeRequestContext> {
  /// All operations of a server: a method that no operation of a path has is answered with 405.
  package func add(_ operations: [BoundOperation]) {
    var paths: [String] = []
    var routes: [String: [HTTPRequest.Method: EdgeRoute]] = [:]
    for operation in operations {
      if routes[operation.path] == nil { paths.append(operation.path) }
      let former = routes[operation.path, default: [:]].updateValue(operation.route, forKey: operation.method)
      precondition(former == nil, "\(operation.method) \(operation.path) is declared twice")
    }
    for path in paths { resource(RouterPath(path), routes[path] ?? [:]) }
  }

  /// A resource with these methods; each other one is answered with 405.
  package func resource(_ path: RouterPath, _ routes: [HTTPRequest.Method: EdgeRoute]) {
    for (method, route) in routes { on(path, method: method, use: route) }
    let offered = Set(routes.keys).union(routes[.get] == nil ? [] : [.head])
    let allow = (offered.map(\.rawValue) + ["OPTIONS"]).sorted().joined(separator: ", ")
    for method in [.get, .head, .post, .put, .patch, .delete, .trace] as [HTTPRequest.Method]
    where !offered.contains(method) {
      on(path, method: method) { (_, _) -> Response in throw EdgeFailure.methodNotAllowed(allow: allow) }
    }
  }
}
