package import HTTPKit
import HTTPTypes
import Hummingbird
import JSONEnvelope
import PushDomain
package import PushEngine

/// The registry of devices for apps: `gms_user` says whose a device is; a server with credentials asks for them too.
package struct DeviceRoutes: Sendable {
  let devices: DeviceService
  let access: ServiceAccess
  let limits: EdgeLimits

  package init(devices: DeviceService, access: ServiceAccess, limits: EdgeLimits) {
    self.devices = devices
    self.access = access
    self.limits = limits
  }

  func register(_ request: Request) async throws -> Response {
    let user = try owner(request)
    let parameters = try await request.parameters(limits: limits)
    let (view, isNew) = try await devices.register(DeviceRegistration(parameters, owner: user))
    return .object(status: isNew ? .created : .ok) { DeviceRendering.write(view, into: &$0) }
  }

  func list(_ request: Request) async throws -> Response {
    let views = try await devices.list(DeviceFilter(owner: try owner(request)))
    return .json { $0.objects(views) { DeviceRendering.write($0, into: &$1) } }
  }

  func device(_ request: Request, _ context: EdgeRequestContext) async throws -> Response {
    let view = try await devices.device(try context.parameters.require("id"), owner: try owner(request))
    return .object { DeviceRendering.write(view, into: &$0) }
  }

  func end(_ request: Request, _ context: EdgeRequestContext) async throws -> Response {
    try await devices.end(
      try context.parameters.require("id"), reason: "unregistered by its owner", owner: try owner(request))
    return Response(status: .noContent)
  }

  private func owner(_ request: Request) throws(EdgeFailure) -> String {
    try access.check(request, service: nil)
    guard let user = try request.userKey(limits: limits), !user.isEmpty else { throw .missingParameter("gms_user") }
    return user
  }
}
