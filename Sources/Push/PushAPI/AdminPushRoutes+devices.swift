import EngineKit
import HTTPKit
import HTTPTypes
import Hummingbird
import JSONEnvelope
import PushDomain
import PushEngine

/// Devices for the operator.
extension AdminPushRoutes {
  static let deviceOperations: [Operation<AdminPushRoutes>] = [
    Operation(
      .get, "/admin/1/devices", "listAllDevices", "Devices, in the order of their ids", access: .admin,
      parameters: APIParameter.listed(
        [
          .query("owner", "Of this customer."), .query("type", "Of this type."),
          .query("state", "In this state.", .oneOf("live", "ended")),
        ], upTo: EngineLimits().listMaximum),
      answers: [.page("Those devices.", of: .named("Device"))], failures: [400]
    ) { routes, _, request, _ in try await routes.page(request) },
    Operation(
      .post, "/admin/1/devices", "registerAnyDevice", "Register a device", access: .admin,
      body: .parameters(
        DeviceRoutes.deviceMembers + [.optional("owner", .text(0...256), "Whose it is: a `gms_user`.")]),
      answers: DeviceRoutes.registered("getAnyDevice", "endAnyDevice", "pushToDevice"), failures: [400, 415]
    ) { routes, _, request, _ in try await routes.register(request) },
    Operation(
      .get, "/admin/1/devices/{id}", "getAnyDevice", "One device", access: .admin, parameters: [.deviceID],
      answers: [.json(200, "The device.", .named("Device"))], failures: [404]
    ) { routes, _, _, context in try await routes.device(context) },
    Operation(
      .post, "/admin/1/devices/{id}/end", "endAnyDevice", "End a device", access: .admin, parameters: [.deviceID],
      body: .json(.object([.optional("reason", .text(0...256))]), isRequired: false),
      answers: [.done("It has ended.")], failures: [400, 404]
    ) { routes, _, request, context in try await routes.end(request, context) },
    Operation(
      .post, "/admin/1/devices/{id}/pushes", "pushToDevice", "Push to a device",
      about: "Waits up to 30 seconds for the outcome.", access: .admin, parameters: [.deviceID],
      body: .json(.named("PushOrder"), isRequired: false),
      answers: [
        .json(200, "What has become of it.", .named("PushEnd")), .json(202, "It is not over yet.", .named("PushEnd")),
      ], failures: [400, 404]
    ) { routes, _, request, context in try await routes.push(request, context) },
  ]

  func page(_ request: Request) async throws -> Response {
    let query = try ListQuery(request, ["owner", "type", "state"], limitMaximum: listMaximum)
    let page = try await devices.page(
      DeviceFilter(
        owner: query["owner"], type: query["type"], isLive: try query.word("state", DeviceLife.self)?.isLive),
      after: query.after ?? "", limit: query.limit)
    return .json(adding: query.link(next: page.next)) {
      $0.objects(page.elements) { DeviceRendering.write($0, into: &$1) }
    }
  }

  func register(_ request: Request) async throws -> Response {
    let parameters = try await request.parameters(limits: limits)
    let (view, isNew) = try await devices.register(DeviceRegistration(parameters, owner: parameters.first(of: "owner")))
    return .object(status: isNew ? .created : .ok) { DeviceRendering.write(view, into: &$0) }
  }

  private static func id(_ context: EdgeRequestContext) throws -> String {
    guard let id = PathText.decode(try context.parameters.require("id")) else { throw EdgeFailure.notFound }
    return id
  }

  func device(_ context: EdgeRequestContext) async throws -> Response {
    let view = try await devices.device(try Self.id(context))
    return .object { DeviceRendering.write(view, into: &$0) }
  }

  func end(_ request: Request, _ context: EdgeRequestContext) async throws -> Response {
    let body = try JSONBody(try await request.bytes(limits: limits))
    let reason = try body.optionalText("reason") ?? "ended by the operator"
    guard reason.utf8.count <= 256 else { throw EdgeFailure.badParameter("reason", "is longer than 256 bytes") }
    try await devices.end(try Self.id(context), reason: reason)
    return Response(status: .noContent)
  }

  func push(_ request: Request, _ context: EdgeRequestContext) async throws -> Response {
    let body = try JSONBody(try await request.bytes(limits: limits))
    let (id, end) = try await couriers.push(
      try CourierService.Order(body), to: try Self.id(context), waitingFor: EdgeLimits.pushWait)
    return .object(status: end == nil ? .accepted : .ok) { push in
      push.member("id", id)
      push.member("outcome", end?.outcome.name ?? "waiting")
      push.member("attempts", ifPresent: end?.attempts)
      push.member("reason", ifPresent: end?.outcome.reason)
    }
  }

  // MARK: Schemas

  static let order = APISchema.object([
    .optional("title", .text(0...256)), .optional("subtitle", .text(0...256)), .optional("body", .text(0...1_000)),
    .optional("sound", .text(0...64)), .optional("image", .text(0...256)), .optional("threadId", .text(0...64)),
    .optional("category", .text(0...64)), .optional("interruptionLevel", .text(0...32)),
    .optional("pushType", .text(0...32)), .optional("badge", .integer(0...Int(Int32.max))),
    .optional("contentAvailable", .bool), .optional("mutableContent", .bool), .optional("collapseKey", .text(0...64)),
    .optional("timeToLive", .integer(0...2_419_200), "Seconds."), .optional("priority", .oneOf("high", "normal")),
    .optional("data", APISchema(["type": "object"]), "For the app."),
  ])

  static let end = APISchema.object([
    .required("id"), .required("outcome", .oneOf(FinalPushOutcome.names + ["waiting"])),
    .optional("attempts", .integer), .optional("reason"),
  ])
}

/// The filter `state` of devices.
private enum DeviceLife: String, CaseIterable {
  case live, ended

  var isLive: Bool { self == .live }
}
