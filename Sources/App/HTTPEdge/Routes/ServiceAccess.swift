import Engine
import HTTPTypes
import Hummingbird

/// Who may use a service: nobody has to say who they are unless credentials are configured. Spec: GMS 2.5.
struct ServiceAccess {
  let engine: Engine

  /// - Parameter service: the service's name; nil where it is not known, then only the server's pair counts.
  func check(_ request: Request, service: String?) throws(EdgeFailure) {
    guard opens(service, request) else { throw .basicAuthenticationRequired }
  }

  /// Whether the request's credentials, or none, open the service.
  func opens(_ service: String?, _ request: Request) -> Bool {
    guard let pair = engine.options.current.credentials(service: service) else { return true }
    return BasicCredentials(authorization: request.headers[.authorization])?
      .matches(BasicCredentials(username: pair.username, password: pair.password)) ?? false
  }

  /// Checks the credentials of the service that an instance, a callback's or a chat's, belongs to.
  func check(_ request: Request, instance serviceID: String) async throws {
    if let name = engine.callbacks.serviceName(of: serviceID) { return try check(request, service: name) }
    let name: String
    do {
      name = try await engine.chats.serviceName(of: serviceID)
    } catch {
      // Whether an instance exists is nobody's business who could not open the server.
      try check(request, service: nil)
      throw error
    }
    try check(request, service: name)
  }
}
