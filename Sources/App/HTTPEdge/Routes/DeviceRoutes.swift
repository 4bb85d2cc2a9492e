import Engine
import EventSourcing
import HTTPTypes
import Hummingbird
import JSONEnvelope
import PushDomain

/// The registry of devices for apps: `gms_user` says whose a device is; a server with credentials asks for them too.
///
/// | | |
/// |---|---|
/// | `POST /devices/1` `{"type":"ios","identifier":…,"provider":…,"debug":…,"locale":…,"platform":…,"app":…}` | registers; 201, or 200 if it was there |
/// | `GET /devices/1` | one's own devices |
/// | `GET /devices/1/{id}` | one of them |
/// | `DELETE /devices/1/{id}` | ends it: nothing more is sent to it |
struct DeviceRoutes {
  let engine: Engine
  let limits: EdgeLimits

  func add(to router: EdgeRoutes) {
    let (devices, limits, access) = (engine.devices, limits, ServiceAccess(engine: engine))
    @Sendable func owner(_ request: Request) throws(EdgeFailure) -> String {
      try access.check(request, service: nil)
      guard let user = try request.userKey(limits: limits), !user.isEmpty else { throw .missingParameter("gms_user") }
      return user
    }
    router.resource(
      "/devices/1",
      [
        .post: { request, _ in
          let user = try owner(request)
          let parameters = try await request.parameters(limits: limits)
          let (view, isNew) = try await devices.register(DeviceRegistration(parameters, owner: user))
          return .object(status: isNew ? .created : .ok) { DeviceRendering.write(view, into: &$0) }
        },
        .get: { request, _ in
          let views = try await devices.list(DeviceFilter(owner: try owner(request)))
          return .json { $0.objects(views) { DeviceRendering.write($0, into: &$1) } }
        },
      ])
    router.resource(
      "/devices/1/:id",
      [
        .get: { request, context in
          let view = try await devices.device(try context.parameters.require("id"), owner: try owner(request))
          return .object { DeviceRendering.write(view, into: &$0) }
        },
        .delete: { request, context in
          try await devices.end(
            try context.parameters.require("id"), reason: "unregistered by its owner", owner: try owner(request))
          return Response(status: .noContent)
        },
      ])
  }
}

/// Devices as JSON. Of a token nothing is shown but the beginning of its hash: whoever has one can push to it.
enum DeviceRendering {
  static func write(_ view: DeviceView, into object: inout JSONObjectWriter) {
    let registration = view.registration
    let address = registration.address
    object.member("id", view.id)
    object.member("type", address.type)
    object.member("token", "#\(view.id.prefix(8))")
    object.member("debug", address.debug)
    object.member("state", view.ending == nil ? "live" : "ended")
    object.member("firstRegisteredAt", view.firstRegisteredAt.iso8601)
    object.member("registeredAt", view.registeredAt.iso8601)
    object.member("provider", ifPresent: address.provider)
    object.member("locale", ifPresent: address.language)
    object.member("platform", ifPresent: registration.platform)
    object.member("app", ifPresent: registration.app)
    object.member("owner", ifPresent: registration.owner)
    object.member("endReason", ifPresent: view.ending?.reason)
    object.member("endedAt", ifPresent: view.ending?.at.iso8601)
  }
}

extension DeviceRegistration {
  private static let types = PushType.ofDevices.map(\.rawValue)

  /// - Parameter owner: who registers; an operator's request may name somebody.
  init(_ parameters: RequestParameters, owner: String?) throws(EdgeFailure) {
    guard let type = parameters.first(of: "type", "push_notification_type") else { throw .missingParameter("type") }
    guard Self.types.contains(type) else {
      throw .badParameter("type", "is not one of \(Self.types.joined(separator: ", "))")
    }
    guard let identifier = parameters.first(of: "identifier", "push_notification_deviceid") else {
      throw .missingParameter("identifier")
    }
    for (name, maximum) in [("provider", 128), ("app", 256), ("platform", 32), ("locale", 35)] {
      if let value = parameters[name], value.utf8.count > maximum {
        throw .badParameter(name, "is longer than \(maximum) bytes")
      }
    }
    self.init(
      address: PushAddress(
        type: type, deviceID: identifier,
        provider: parameters.first(of: "provider", "push_notification_provider"),
        language: parameters.first(of: "locale", "push_notification_language"),
        debug: parameters.isTrue("debug") || parameters.isTrue("push_notification_debug")),
      platform: parameters.first(of: "platform"), app: parameters.first(of: "app"), owner: owner)
  }
}
