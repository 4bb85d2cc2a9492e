package import EngineKit
import HTTPTypes
package import Hummingbird

/// Who may use a service: nobody has to say who they are unless credentials are configured. Spec: GMS 2.5.
package struct ServiceAccess {
  package let options: OptionStore
  /// The name of the service that an instance, a callback's or a chat's, belongs to. - Throws: if there is none.
  package let name: @Sendable (_ instance: String) async throws -> String

  package init(options: OptionStore, name: @escaping @Sendable (_ instance: String) async throws -> String) {
    self.options = options
    self.name = name
  }

  /// - Parameter service: the service's name; nil where it is not known, then only the server's pair counts.
  package func check(_ request: Request, service: String?) throws(EdgeFailure) {
    guard opens(service, request) else { throw .basicAuthenticationRequired }
  }

  /// Whether the request's credentials, or none, open the service.
  package func opens(_ service: String?, _ request: Request) -> Bool {
    guard let pair = options.current.credentials(service: service) else { return true }
    return BasicCredentials(authorization: request.headers[.authorization])?
      .matches(BasicCredentials(username: pair.username, password: pair.password)) ?? false
  }

  /// Checks the credentials of the service that an instance belongs to.
  package func check(_ request: Request, instance serviceID: String) async throws {
    let service: String
    do {
      service = try await name(serviceID)
    } catch {
      // Whether an instance exists is nobody's business who could not open the server.
      try check(request, service: nil)
      throw error
    }
    try check(request, service: service)
  }
}
