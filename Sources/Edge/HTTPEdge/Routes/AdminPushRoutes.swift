import Engine
import EventSourcing
import HTTPTypes
import Hummingbird
import JSONEnvelope
import PushDomain

/// Devices and pushes for the operator: JSON, with a bearer token of the role `admin`.
///
/// | | |
/// |---|---|
/// | `GET /admin/1/devices?owner=&type=&state=live\|ended&after=&limit=` | devices, in the order of their ids |
/// | `POST /admin/1/devices` (as for apps, and `owner`) | registers one |
/// | `GET /admin/1/devices/{id}` | one |
/// | `POST /admin/1/devices/{id}/end` `{"reason":…}` | ends it |
/// | `POST /admin/1/devices/{id}/pushes` `{"title":…,"body":…,"data":{…},…}` | pushes, and waits for the outcome |
/// | `GET /admin/1/dead-letters?after=&limit=` | pushes that ended without reaching anybody |
/// | `POST /admin/1/dead-letters/{device}/{producer}/{number}/retry` | tries one again, with the same id |
/// | `DELETE /admin/1/dead-letters/{device}/{producer}/{number}` | drops one |
/// | `GET /admin/1/lanes` | what each courier is doing |
/// | `POST /admin/1/lanes/reset` | tries again at once what was found to be broken |
struct AdminPushRoutes {
  let engine: Engine
  let tokens: TokenStore
  let limits: EdgeLimits

  func add(to router: EdgeRoutes) {
    addDevices(to: router)
    addDeadLetters(to: router)
    addLanes(to: router)
  }

  private func addDevices(to router: EdgeRoutes) {
    let (devices, couriers, tokens, limits) = (engine.devices, engine.couriers, tokens, limits)
    router.resource(
      "/admin/1/devices",
      [
        .get: { request, _ in
          try request.requireOperator(tokens)
          let query = request.uri.queryParameters
          let views = try await devices.list(
            DeviceFilter(
              owner: query["owner"].map(String.init), type: query["type"].map(String.init),
              isLive: try Self.isLive(query["state"])),
            after: query["after"].map(String.init) ?? "", limit: try Self.limit(query["limit"]))
          return .json { $0.raw(JSONValue.array(views.map { DeviceRendering.value($0) }).text) }
        },
        .post: { request, _ in
          try request.requireOperator(tokens)
          let parameters = try await request.parameters(limits: limits)
          let (view, isNew) = try await devices.register(
            DeviceRegistration(parameters, owner: parameters.first(of: "owner")))
          return .json(DeviceRendering.value(view).text, status: isNew ? .created : .ok)
        },
      ])
    router.resource(
      "/admin/1/devices/:id",
      [
        .get: { request, context in
          try request.requireOperator(tokens)
          let view = try await devices.device(try context.parameters.require("id"))
          return .json { $0.raw(DeviceRendering.value(view).text) }
        }
      ])
    router.resource(
      "/admin/1/devices/:id/end",
      [
        .post: { request, context in
          try request.requireOperator(tokens)
          let body = try AgentRequest(try await request.bytes(limits: limits))
          let reason = try body.optionalText("reason") ?? "ended by the operator"
          guard reason.utf8.count <= 256 else { throw EdgeFailure.badParameter("reason", "is longer than 256 bytes") }
          try await devices.end(try context.parameters.require("id"), reason: reason)
          return Response(status: .noContent)
        }
      ])
    router.resource(
      "/admin/1/devices/:id/pushes",
      [
        .post: { request, context in
          try request.requireOperator(tokens)
          let body = try AgentRequest(try await request.bytes(limits: limits))
          let (id, end) = try await couriers.push(
            try CourierService.Order(body), to: try context.parameters.require("id"),
            waitingFor: EdgeLimits.pushWait)
          var members: [(String, JSONValue)] = [("id", .string(id))]
          if let end {
            members += [("outcome", .string(end.outcome.name)), ("attempts", .integer(Int64(end.attempts)))]
            if let reason = end.outcome.reason { members.append(("reason", .string(reason))) }
          } else {
            members.append(("outcome", .string("waiting")))
          }
          return .json(JSONValue.object(members).text, status: end == nil ? .accepted : .ok)
        }
      ])
  }

  private func addDeadLetters(to router: EdgeRoutes) {
    let (couriers, tokens) = (engine.couriers, tokens)
    router.resource(
      "/admin/1/dead-letters",
      [
        .get: { request, _ in
          try request.requireOperator(tokens)
          let query = request.uri.queryParameters
          let letters = await couriers.deadLetters(
            after: query["after"].map(String.init) ?? "", limit: try Self.limit(query["limit"]))
          return .json { $0.raw(JSONValue.array(letters.map(Self.value)).text) }
        }
      ])
    router.resource(
      "/admin/1/dead-letters/:device/:producer/:number/retry",
      [
        .post: { request, context in
          try request.requireOperator(tokens)
          try await couriers.retryDeadLetter(try Self.pushID(context), of: try context.parameters.require("device"))
          return Response(status: .noContent)
        }
      ])
    router.resource(
      "/admin/1/dead-letters/:device/:producer/:number",
      [
        .delete: { request, context in
          try request.requireOperator(tokens)
          try await couriers.dropDeadLetter(try Self.pushID(context), of: try context.parameters.require("device"))
          return Response(status: .noContent)
        }
      ])
  }

  private func addLanes(to router: EdgeRoutes) {
    let (couriers, tokens) = (engine.couriers, tokens)
    router.resource(
      "/admin/1/lanes",
      [
        .get: { request, _ in
          try request.requireOperator(tokens)
          return .json { $0.raw(JSONValue.array(couriers.lanes().map(Self.value)).text) }
        }
      ])
    router.resource(
      "/admin/1/lanes/reset",
      [
        .post: { request, _ in
          try request.requireOperator(tokens)
          couriers.resetLanes()
          return Response(status: .noContent)
        }
      ])
  }

  // MARK: Parts

  private static func isLive(_ state: Substring?) throws(EdgeFailure) -> Bool? {
    switch state {
    case nil: nil
    case "live": true
    case "ended": false
    default: throw .badParameter("state", "is not one of live, ended")
    }
  }

  private static func limit(_ text: Substring?) throws(EdgeFailure) -> Int {
    guard let text else { return 100 }
    guard let limit = Int(text), (1...500).contains(limit) else { throw .badParameter("limit", "is not 1 to 500") }
    return limit
  }

  private static func pushID(_ context: EdgeRequestContext) throws -> PushID {
    guard let number = Int(try context.parameters.require("number")) else { throw EdgeFailure.notFound }
    return PushID(producer: try context.parameters.require("producer"), number: number)
  }

  private static func value(_ letter: DeadLetterView) -> JSONValue {
    .object([
      ("device", .string(letter.device)), ("producer", .string(letter.id.producer)),
      ("number", .integer(Int64(letter.id.number))), ("id", .string(letter.uuid)), ("type", .string(letter.type)),
      ("tag", .string(letter.tag)), ("outcome", .string(letter.outcome.name)),
      ("reason", .string(letter.outcome.reason ?? "")), ("attempts", .integer(Int64(letter.attempts))),
      ("bytes", .integer(Int64(letter.bytes))), ("acceptedAt", .string(letter.acceptedAt.iso8601)),
      ("endedAt", .string(letter.endedAt.iso8601)),
    ])
  }

  private static func value(_ lane: LaneView) -> JSONValue {
    .object([
      ("lane", .string(lane.label)), ("lanes", .integer(Int64(lane.lanes))),
      ("waiting", .integer(Int64(lane.waiting))), ("running", .integer(Int64(lane.running))),
      ("open", .integer(Int64(lane.open))), ("off", .integer(Int64(lane.off))),
      ("oldestSeconds", .double(Double(lane.oldestAge.wholeMilliseconds) / 1_000)),
    ])
  }
}

extension CourierService.Order {
  /// - Throws: naming the member that cannot be used.
  init(_ body: AgentRequest) throws(EdgeFailure) {
    self.init()
    display.title = try body.optionalText("title")
    display.subtitle = try body.optionalText("subtitle")
    display.body = try body.optionalText("body")
    display.sound = try body.optionalText("sound")
    display.image = try body.optionalText("image")
    display.threadID = try body.optionalText("threadId")
    display.category = try body.optionalText("category")
    display.interruptionLevel = try body.optionalText("interruptionLevel")
    display.pushType = try body.optionalText("pushType")
    display.badge = try body.optionalInteger("badge", in: 0...Int(Int32.max))
    display.isContentAvailable = try body.optionalBool("contentAvailable") ?? false
    display.isMutableContent = try body.optionalBool("mutableContent") ?? false
    collapseKey = try body.optionalText("collapseKey")
    if let seconds = try body.optionalInteger("timeToLive", in: 0...2_419_200) { timeToLive = .seconds(seconds) }
    switch try body.optionalText("priority") {
    case nil, "high": priority = .high
    case "normal": priority = .normal
    default: throw .badParameter("priority", "is not one of high, normal")
    }
    if let object = try body.optionalObject("data") { data = object.text }
  }
}

extension Request {
  /// - Throws: unless the request bears an operator's token.
  @discardableResult
  func requireOperator(_ tokens: TokenStore) throws(EdgeFailure) -> AccessToken {
    let token = try accessToken(in: tokens)
    guard token.role == .admin else { throw .forbidden("This needs an operator's token") }
    return token
  }
}
