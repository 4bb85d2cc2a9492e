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
            $0.objects(page.elements) { DeviceRendering.write($0, into: &$1) }
          }
        },
        .post: { request, _ in
          try request.requireOperator(tokens)
          let parameters = try await request.parameters(limits: limits)
          let (view, isNew) = try await devices.register(
            DeviceRegistration(parameters, owner: parameters.first(of: "owner")))
          return .object(status: isNew ? .created : .ok) { DeviceRendering.write(view, into: &$0) }
        },
      ])
    router.resource(
      "/admin/1/devices/:id",
      [
        .get: { request, context in
          try request.requireOperator(tokens)
          let view = try await devices.device(try context.parameters.require("id"))
          return .object { DeviceRendering.write(view, into: &$0) }
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
          return .object(status: end == nil ? .accepted : .ok) { push in
            push.member("id", id)
            push.member("outcome", end?.outcome.name ?? "waiting")
            push.member("attempts", ifPresent: end?.attempts)
            push.member("reason", ifPresent: end?.outcome.reason)
          }
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
          return .json(adding: query.link(next: next)) {
            $0.objects(letters) { Self.write($0, into: &$1) }
          }
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
            return Self.answer(count: count, hasMore: hasMore, isDryRun: true)
          }
          guard let (replay, hasMore) = await couriers.replayDeadLetters(filter, perSecond: pace) else {
            throw EdgeFailure(
              .conflict, "Another replay is under way", exception: "ReplayUnderWayException")
          }
          return Self.answer(count: replay.count, hasMore: hasMore, isDryRun: false)
        },
        .get: { request, _ in
          try request.requireOperator(tokens)
          guard let replay = couriers.deadLetterReplay else { throw EdgeFailure.notFound }
          return .object { object in
            object.member("running", replay.isRunning)
            object.member("count", replay.count)
            object.member("retried", replay.retried)
            object.member("skipped", replay.skipped)
            object.member("perSecond", replay.perSecond)
            object.member("startedAt", replay.startedAt.iso8601)
          }
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
          return .json(adding: link) { $0.objects(lanes) { Self.write($0, into: &$1) } }
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

  private static func answer(count: Int, hasMore: Bool, isDryRun: Bool) -> Response {
    .object(status: isDryRun ? .ok : .accepted) { answer in
      answer.member("dryRun", isDryRun)
      answer.member("count", count)
      answer.member("more", hasMore)
    }
  }

  private static func write(_ letter: DeadLetterView, into object: inout JSONObjectWriter) {
    let body = letter.body.prefix(EdgeLimits.deadLetterBodyBytesMaximum)
    object.member("device", letter.device)
    object.member("producer", letter.id.producer)
    object.member("number", letter.id.number)
    object.member("id", letter.uuid)
    object.member("type", letter.type)
    object.member("tag", letter.tag)
    object.member("service", letter.service)
    object.member("outcome", letter.outcome.name)
    object.member("reason", letter.reason)
    object.member("attempts", letter.attempts)
    object.objects("history", letter.history) { attempt, object in
      object.member("at", attempt.at.iso8601Milliseconds)
      object.member("reason", attempt.reason)
      object.member("maybeDelivered", attempt.mayBeDelivered)
    }
    object.member("lastAnswer", letter.lastAnswer)
    object.member("alert", letter.alert)
    object.member("body", String(decoding: body, as: UTF8.self))
    object.member("isWhole", body.count == letter.body.count)
    object.member("bytes", letter.bytes)
    object.member("acceptedAt", letter.acceptedAt.iso8601)
    object.member("endedAt", letter.endedAt.iso8601)
    object.member("cursor", letter.cursor)
  }

  private static func write(_ lane: LaneView, into object: inout JSONObjectWriter) {
    object.member("lane", lane.label)
    object.member("lanes", lane.lanes)
    object.member("waiting", lane.waiting)
    object.member("running", lane.running)
    object.member("open", lane.open)
    object.member("off", lane.off)
    object.member("oldestSeconds", Double(lane.oldestAge.wholeMilliseconds) / 1_000)
    object.object("queued") { queued in
      queued.member("high", lane.urgent)
      queued.member("normal", lane.normal)
    }
    object.member("nextAttemptAt", lane.nextAttempt?.iso8601)
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
