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
/// | `GET /admin/1/dead-letters?device=&producer=&type=&tag=&service=&outcome=&from=&until=&after=&limit=` | pushes that
/// ended without reaching anybody |
/// | `POST /admin/1/dead-letters/{device}/{id}/retry` | tries one again, with the same id |
/// | `DELETE /admin/1/dead-letters/{device}/{id}` | drops one |
/// | `POST /admin/1/dead-letters/{device}/{producer}/{number}/retry`, `DELETE …/{number}` | the same, by who ordered it |
/// | `POST /admin/1/dead-letters/replay` `{"dryRun":false,"perSecond":10,"type":…}` | counts many, or tries them again |
/// | `GET`, `DELETE /admin/1/dead-letters/replay` | how far that is; stops it |
/// | `GET /admin/1/lanes` | what each courier is doing, and what waits for it |
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
    let listMaximum = engine.listMaximum.operators
    router.resource(
      "/admin/1/devices",
      [
        .get: { request, _ in
          try request.requireOperator(tokens)
          let query = try ListQuery(request, ["owner", "type", "state"], limitMaximum: listMaximum)
          let page = try await devices.page(
            DeviceFilter(
              owner: query["owner"], type: query["type"], isLive: try query.word("state", DeviceLife.self)?.isLive),
            after: query.after ?? "", limit: query.limit)
          return .json(adding: query.link(next: page.next)) {
            $0.raw(JSONValue.array(page.elements.map { DeviceRendering.value($0) }).text)
          }
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
          let body = try JSONBody(try await request.bytes(limits: limits))
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
          let body = try JSONBody(try await request.bytes(limits: limits))
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
    let (couriers, tokens, limits, listMaximum) = (engine.couriers, tokens, limits, engine.listMaximum.operators)
    router.resource(
      "/admin/1/dead-letters",
      [
        .get: { request, _ in
          try request.requireOperator(tokens)
          let query = try ListQuery(request, DeadLetterFilter.names, limitMaximum: listMaximum)
          let letters = await couriers.deadLetters(
            try DeadLetterFilter { query[$0] }, after: query.after ?? "", limit: query.limit)
          // A list that may go on says so.
          let next = letters.count == query.limit ? letters.last?.cursor : nil
          return .json(adding: query.link(next: next)) { $0.raw(JSONValue.array(letters.map(Self.value)).text) }
        }
      ])
    router.resource(
      "/admin/1/dead-letters/replay",
      [
        .post: { request, _ in
          try request.requireOperator(tokens)
          let body = try JSONBody(try await request.bytes(limits: limits))
          let filter = try DeadLetterFilter(body)
          let pace = try body.optionalInteger("perSecond", in: EngineLimits.replaysPerSecond) ?? 10
          if try body.optionalBool("dryRun") ?? true {
            let (count, hasMore) = await couriers.countDeadLetters(filter)
            return .json(Self.value(count: count, hasMore: hasMore, isDryRun: true).text)
          }
          guard let (replay, hasMore) = await couriers.replayDeadLetters(filter, perSecond: pace) else {
            throw EdgeFailure(
              .conflict, "Another replay is under way", exception: "ReplayUnderWayException")
          }
          return .json(
            Self.value(count: replay.count, hasMore: hasMore, isDryRun: false).text, status: .accepted)
        },
        .get: { request, _ in
          try request.requireOperator(tokens)
          guard let replay = couriers.deadLetterReplay else { throw EdgeFailure.notFound }
          return .json(
            JSONValue.object([
              ("running", .bool(replay.isRunning)), ("count", .integer(Int64(replay.count))),
              ("retried", .integer(Int64(replay.retried))), ("skipped", .integer(Int64(replay.skipped))),
              ("perSecond", .integer(Int64(replay.perSecond))), ("startedAt", .string(replay.startedAt.iso8601)),
            ]).text)
        },
        .delete: { request, _ in
          try request.requireOperator(tokens)
          couriers.stopDeadLetterReplay()
          return Response(status: .noContent)
        },
      ])
    for path in Self.letterPaths {
      router.resource(
        RouterPath("/admin/1/dead-letters/:device/\(path)/retry"),
        [
          .post: { request, context in
            try request.requireOperator(tokens)
            let (id, device) = try await Self.letter(context, couriers)
            try await couriers.retryDeadLetter(id, of: device)
            return Response(status: .noContent)
          }
        ])
      router.resource(
        RouterPath("/admin/1/dead-letters/:device/\(path)"),
        [
          .delete: { request, context in
            try request.requireOperator(tokens)
            let (id, device) = try await Self.letter(context, couriers)
            try await couriers.dropDeadLetter(id, of: device)
            return Response(status: .noContent)
          }
        ])
    }
  }

  private func addLanes(to router: EdgeRoutes) {
    let (couriers, tokens, listMaximum) = (engine.couriers, tokens, engine.listMaximum.operators)
    router.resource(
      "/admin/1/lanes",
      [
        .get: { request, _ in
          try request.requireOperator(tokens)
          let query = try ListQuery(request, limitMaximum: listMaximum)
          let (lanes, link) = try query.page(of: couriers.lanes(), by: \.label)
          return .json(adding: link) { $0.raw(JSONValue.array(lanes.map(Self.value)).text) }
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

  /// The filter `state` of devices.
  private enum DeviceLife: String, CaseIterable {
    case live, ended

    var isLive: Bool { self == .live }
  }

  /// By its name for the world, or by who ordered it, where a slash is `%2F`. The router wants one name for each place
  /// of a path.
  private static let letterPaths = [":producer", ":producer/:number"]

  /// The dead letter that a path names.
  private static func letter(
    _ context: EdgeRequestContext, _ couriers: CourierService
  ) async throws -> (id: PushID, device: String) {
    func part(_ name: String) throws -> String {
      guard let text = PathText.decode(try context.parameters.require(name)) else { throw EdgeFailure.notFound }
      return text
    }
    let device = try part("device")
    let producer = try part("producer")
    guard context.parameters.get("number") != nil else {
      return (try await couriers.deadLetter(producer, of: device), device)
    }
    guard let number = Int(try part("number")) else { throw EdgeFailure.notFound }
    return (PushID(producer: producer, number: number), device)
  }

  private static func value(count: Int, hasMore: Bool, isDryRun: Bool) -> JSONValue {
    .object([("dryRun", .bool(isDryRun)), ("count", .integer(Int64(count))), ("more", .bool(hasMore))])
  }

  private static func value(_ letter: DeadLetterView) -> JSONValue {
    let isWhole = letter.body.count <= EdgeLimits.deadLetterBodyBytesMaximum
    let history = letter.history.map { attempt in
      JSONValue.object([
        ("at", .string(attempt.at.iso8601Milliseconds)), ("reason", .string(attempt.reason)),
        ("maybeDelivered", .bool(attempt.mayBeDelivered)),
      ])
    }
    return .object([
      ("device", .string(letter.device)), ("producer", .string(letter.id.producer)),
      ("number", .integer(Int64(letter.id.number))), ("id", .string(letter.uuid)), ("type", .string(letter.type)),
      ("tag", .string(letter.tag)), ("service", .string(letter.service)), ("outcome", .string(letter.outcome.name)),
      ("reason", .string(letter.reason)), ("attempts", .integer(Int64(letter.attempts))), ("history", .array(history)),
      ("lastAnswer", letter.lastAnswer.map { .string($0) } ?? .null),
      ("alert", .string(letter.alert)),
      ("body", .string(String(decoding: letter.body.prefix(EdgeLimits.deadLetterBodyBytesMaximum), as: UTF8.self))),
      ("isWhole", .bool(isWhole)), ("bytes", .integer(Int64(letter.bytes))),
      ("acceptedAt", .string(letter.acceptedAt.iso8601)), ("endedAt", .string(letter.endedAt.iso8601)),
      ("cursor", .string(letter.cursor)),
    ])
  }

  private static func value(_ lane: LaneView) -> JSONValue {
    .object([
      ("lane", .string(lane.label)), ("lanes", .integer(Int64(lane.lanes))),
      ("waiting", .integer(Int64(lane.waiting))), ("running", .integer(Int64(lane.running))),
      ("open", .integer(Int64(lane.open))), ("off", .integer(Int64(lane.off))),
      ("oldestSeconds", .double(Double(lane.oldestAge.wholeMilliseconds) / 1_000)),
      ("queued", ["high": .integer(Int64(lane.urgent)), "normal": .integer(Int64(lane.normal))]),
      ("nextAttemptAt", lane.nextAttempt.map { .string($0.iso8601) } ?? .null),
    ])
  }
}

extension DeadLetterFilter {
  /// - Throws: naming the member that cannot be used.
  fileprivate init(_ body: JSONBody) throws(EdgeFailure) {
    var texts: [String: String] = [:]
    for name in Self.names { texts[name] = try body.optionalText(name) }
    try self.init { texts[$0] }
  }

  fileprivate static let names = ["device", "producer", "type", "tag", "service", "outcome", "from", "until"]

  /// - Parameter text: what a parameter says; nil if it is not there.
  fileprivate init(_ text: (String) -> String?) throws(EdgeFailure) {
    self.init()
    (device, producer, type) = (text("device"), text("producer"), text("type"))
    (tag, service, outcome) = (text("tag"), text("service"), text("outcome"))
    if let outcome, !FinalPushOutcome.names.contains(outcome) {
      throw .badParameter("outcome", "is not one of " + FinalPushOutcome.names.joined(separator: ", "))
    }
    from = try Self.time("from", text("from"))
    until = try Self.time("until", text("until"))
  }

  private static func time(_ name: String, _ text: String?) throws(EdgeFailure) -> Timestamp? {
    guard let text else { return nil }
    guard let time = Timestamp(iso8601: text) else {
      throw .badParameter(name, "is not a date like 2026-11-20T22:45:00Z")
    }
    return time
  }
}

extension CourierService.Order {
  /// - Throws: naming the member that cannot be used.
  init(_ body: JSONBody) throws(EdgeFailure) {
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
