import JSONEnvelope
import PushDomain
import Synchronization
import Testing

@testable import HTTPEdge

@Suite("Devices and pushes over REST", .timeLimit(.minutes(5)))
struct DeviceApiTests {
  /// Answers as it is told; says "delivered" otherwise.
  private final class Courier: PushProvider {
    private let outcomes = Mutex<[PushOutcome]>([])
    private let otherwise = Mutex(PushOutcome.delivered(id: "as-1"))
    private let log = Mutex<[PushDelivery]>([])
    var types: Set<String> { ["ios"] }
    var deliveries: [PushDelivery] { log.withLock { $0 } }

    func answer(_ outcomes: PushOutcome...) { self.outcomes.withLock { $0 = outcomes } }

    func answer(always outcome: PushOutcome) { otherwise.withLock { $0 = outcome } }

    func deliver(_ delivery: PushDelivery) async -> PushOutcome {
      log.withLock { $0.append(delivery) }
      return outcomes.withLock { $0.isEmpty ? nil : $0.removeFirst() } ?? otherwise.withLock { $0 }
    }
  }

  private struct Caller {
    let client: RawClient
    let headers: String

    func call(_ method: String, _ path: String, _ body: String = "") async throws -> (status: Int, json: JSONValue) {
      let type = body.hasPrefix("{") ? "json" : "x-www-form-urlencoded"
      try await client.write(
        "\(method) \(path) HTTP/1.1\r\nHost: x\r\n\(headers)Content-Type: application/\(type)\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)"
      )
      let response = try await client.response(withoutBody: false)
      return (response.status, (try? JSONValue(parsing: response.body)) ?? .null)
    }
  }

  private static let token = String(repeating: "ab12", count: 16)

  private func run(_ body: (ServerHarness, Courier, _ anna: Caller, _ ops: Caller) async throws -> Void) async throws {
    let courier = Courier()
    try await ServerHarness.run(
      options: ["push": ["pushEnabled": "ios,fcm"]], providers: { $0 == "ios" ? courier : nil }
    ) { server in
      let secret = try server.tokens.create(name: "ops", role: .admin)
      let anna = Caller(client: try await server.connect(), headers: "gms_user: anna\r\n")
      let ops = Caller(client: try await server.connect(), headers: "Authorization: Bearer \(secret)\r\n")
      try await body(server, courier, anna, ops)
    }
  }

  @Test("an app registers its device, sees it, and ends it; nobody else can")
  func life() async throws {
    try await run { server, _, anna, ops in
      let spelled = "<" + Self.token.uppercased().prefix(8) + " " + Self.token.uppercased().dropFirst(8) + ">"
      let body = #"{"type":"ios","identifier":"\#(spelled)","locale":"en-us","app":"shop"}"#
      let made = try await anna.call("POST", "/devices/1", body)
      #expect(made.status == 201)
      let id = try #require(made.json["id"]?.string)
      #expect(made.json["state"] == "live" && made.json["owner"] == "anna" && made.json["locale"] == "en-us")
      // Whoever has a token can push to it: it is never shown, but for the beginning of its hash.
      #expect(made.json["token"]?.string == "#\(id.prefix(8))" && !"\(made.json)".lowercased().contains("ab12"))
      let again = try await anna.call("POST", "/devices/1", "type=ios&identifier=\(Self.token)")
      #expect(again.status == 200 && again.json["id"]?.string == id && again.json["app"] == "shop")
      #expect(try await anna.call("GET", "/devices/1").json.array?.count == 1)

      let otto = Caller(client: try await server.connect(), headers: "gms_user: otto\r\n")
      #expect(try await otto.call("GET", "/devices/1").json == [])
      #expect(try await otto.call("GET", "/devices/1/\(id)").status == 404)
      #expect(try await otto.call("DELETE", "/devices/1/\(id)").status == 404)
      let nobody = Caller(client: try await server.connect(), headers: "")
      #expect(try await nobody.call("GET", "/devices/1").status == 400)

      #expect(try await anna.call("DELETE", "/devices/1/\(id)").status == 204)
      let ended = try await ops.call("GET", "/admin/1/devices/\(id)").json
      #expect(ended["state"] == "ended" && ended["endReason"] == "unregistered by its owner")
    }
  }

  @Test("the operator finds devices by owner, type and state, page by page, and ends one")
  func list() async throws {
    try await run { _, _, anna, ops in
      for number in 0..<5 {
        _ = try await anna.call("POST", "/devices/1", "type=ios&identifier=\(Self.token)0\(number)")
      }
      let other = try await ops.call("POST", "/admin/1/devices", "type=fcm&identifier=reg-token&owner=otto")
      #expect(other.status == 201 && other.json["owner"] == "otto")
      let first = try await ops.call("GET", "/admin/1/devices?owner=anna&limit=3").json.array ?? []
      let last = try #require(first.last?["id"]?.string)
      let second = try await ops.call("GET", "/admin/1/devices?owner=anna&limit=3&after=\(last)").json.array ?? []
      #expect(first.count == 3 && second.count == 2)
      #expect(Set((first + second).compactMap { $0["id"]?.string }).count == 5)
      #expect(try await ops.call("GET", "/admin/1/devices?type=fcm").json.array?.count == 1)
      #expect(try await ops.call("POST", "/admin/1/devices/\(last)/end", #"{"reason":"stolen"}"#).status == 204)
      let ended = try await ops.call("GET", "/admin/1/devices?state=ended").json
      #expect(ended.array?.count == 1 && ended[0]?["endReason"] == "stolen")
      #expect(try await ops.call("GET", "/admin/1/devices?state=odd").status == 400)
      #expect(try await ops.call("GET", "/admin/1/devices?limit=0").status == 400)
      #expect(try await ops.call("GET", "/admin/1/devices/unknown").status == 404)
    }
  }

  @Test(
    "what names no device is refused with its field",
    arguments: [
      ("", "type"), ("type=ios", "identifier"), ("type=pigeon&identifier=1", "type"),
      ("type=ios&identifier=%3C%20%3E", "identifier"), ("type=ios&identifier=a%09b", "identifier"),
      ("type=ios&identifier=ab&app=\(String(repeating: "a", count: 257))", "app"),
    ])
  func refused(body: String, field: String) async throws {
    try await run { _, _, anna, _ in
      let answer = try await anna.call("POST", "/devices/1", body)
      #expect(answer.status == 400)
      #expect(answer.json["message"]?.string?.contains("'\(field)'") == true)
    }
  }

  @Test("the operator's push goes through queue and courier, and its end is the answer")
  func push() async throws {
    try await run { _, courier, anna, ops in
      let id = try await device(anna)
      let order = #"{"title":"Hello","body":"It works","badge":2,"data":{"k":"v"},"priority":"normal","timeToLive":60}"#
      let done = try await ops.call("POST", "/admin/1/devices/\(id)/pushes", order)
      #expect(done.status == 200 && done.json["outcome"] == "delivered" && done.json["attempts"] == 1)
      let delivery = try #require(courier.deliveries.first)
      #expect(done.json["id"]?.string == delivery.id)
      #expect(delivery.message.display?.title == "Hello" && delivery.message.display?.badge == 2)
      #expect(delivery.message.content == Array(#"{"k":"v"}"#.utf8) && delivery.message.form == .members)
      #expect(delivery.message.priority == .normal)

      courier.answer(.refused(reason: "413 PayloadTooLarge"))
      let refused = try await ops.call("POST", "/admin/1/devices/\(id)/pushes", "{}")
      #expect(refused.json["outcome"] == "refused" && refused.json["reason"] == "413 PayloadTooLarge")
      for body in [#"{"badge":-1}"#, #"{"priority":"soon"}"#, #"{"data":[]}"#, #"{"timeToLive":9999999}"#] {
        #expect(try await ops.call("POST", "/admin/1/devices/\(id)/pushes", body).status == 400)
      }
      #expect(try await ops.call("POST", "/admin/1/devices/unknown/pushes", "{}").status == 404)
    }
  }

  @Test("a dead letter is listed without its text, tried again under the same id, and dropped")
  func deadLetters() async throws {
    try await run { _, courier, anna, ops in
      let id = try await device(anna)
      courier.answer(.refused(reason: "400 BadTopic"), .refused(reason: "400 BadTopic"))
      _ = try await ops.call("POST", "/admin/1/devices/\(id)/pushes", #"{"body":"secret text"}"#)
      let letters = try await ops.call("GET", "/admin/1/dead-letters").json
      let letter = try #require(letters[0])
      #expect(letter["device"]?.string == id && letter["outcome"] == "refused" && letter["reason"] == "400 BadTopic")
      #expect(letter["id"]?.string == courier.deliveries[0].id)
      #expect(letter["alert"] == "secret text" && letter["body"] == "{}" && letter["isWhole"] == true)
      #expect(letter["history"]?[0]?["reason"] == "400 BadTopic" && letter["lastAnswer"] == .null)
      #expect(!"\(letters)".contains(Self.token))
      let path = "/admin/1/dead-letters/\(id)/\(letter["producer"]?.string ?? "")/1"
      #expect(try await ops.call("POST", path + "/retry").status == 204)
      try await until { try await ops.call("GET", "/admin/1/dead-letters").json.array?.isEmpty == false }
      #expect(courier.deliveries.count == 2 && Set(courier.deliveries.map(\.id)).count == 1)
      #expect(try await ops.call("DELETE", path).status == 204)
      #expect(try await ops.call("GET", "/admin/1/dead-letters").json == [])
      #expect(try await ops.call("DELETE", path).status == 404)
    }
  }

  @Test("many are counted first, and go out again at a pace; the list goes on behind its cursor")
  func replay() async throws {
    try await run { _, courier, anna, ops in
      let id = try await device(anna)
      courier.answer(always: .refused(reason: "400 BadTopic"))
      for _ in 0..<3 { _ = try await ops.call("POST", "/admin/1/devices/\(id)/pushes", #"{"body":"b"}"#) }
      let first = try await ops.call("GET", "/admin/1/dead-letters?limit=2&type=ios").json
      #expect(first.array?.count == 2)
      let cursor = try #require(first[1]?["cursor"]?.string)
      let second = try await ops.call("GET", "/admin/1/dead-letters?limit=2&type=ios&after=\(cursor)").json
      #expect(second.array?.count == 1 && second[0]?["id"] != first[1]?["id"])
      #expect(try await ops.call("GET", "/admin/1/dead-letters?type=fcm").json == [])
      for bad in ["outcome=lost", "from=yesterday", "limit=0"] {
        #expect(try await ops.call("GET", "/admin/1/dead-letters?\(bad)").status == 400)
      }

      let path = "/admin/1/dead-letters/replay"
      #expect(try await ops.call("GET", path).status == 404)
      let counted = try await ops.call("POST", path, #"{"type":"ios","outcome":null}"#)
      #expect(counted.status == 200 && counted.json == ["dryRun": true, "count": 3, "more": false])
      #expect(courier.deliveries.count == 3)
      courier.answer(always: .delivered(id: "as-1"))
      let begun = try await ops.call("POST", path, #"{"dryRun":false,"perSecond":1000}"#)
      #expect(begun.status == 202 && begun.json["count"] == 3)
      try await until { try await ops.call("GET", path).json["running"] == false }
      let done = try await ops.call("GET", path).json
      #expect(done["retried"] == 3 && done["skipped"] == 0)
      #expect(try await ops.call("GET", "/admin/1/dead-letters").json == [])
      #expect(try await ops.call("DELETE", path).status == 204)
      #expect(try await ops.call("POST", path, #"{"perSecond":0}"#).status == 400)
    }
  }

  @Test("a lane that waits is seen, and a reset tries again at once")
  func lanes() async throws {
    try await run { _, courier, anna, ops in
      let id = try await device(anna)
      courier.answer(always: .laneBroken(reason: "403 InvalidProviderToken"))
      async let pushed = ops.call("POST", "/admin/1/devices/\(id)/pushes", "{}")
      let watcher = Caller(client: anna.client, headers: ops.headers)
      try await until { try await watcher.call("GET", "/admin/1/lanes").json[0]?["open"] == 1 }
      courier.answer(always: .delivered(id: "as-1"))
      #expect(try await watcher.call("POST", "/admin/1/lanes/reset").status == 204)
      #expect(try await pushed.json["outcome"] == "delivered")
      #expect(try await watcher.call("GET", "/admin/1/lanes").json[0]?["open"] == 0)
    }
  }

  @Test("what waits for its lane is listed with the reason, and the lane with its next probe")
  func waitsForLane() async throws {
    try await run { _, courier, anna, ops in
      let id = try await device(anna)
      courier.answer(always: .laneBroken(reason: "403 InvalidProviderToken"))
      async let pushed = ops.call("POST", "/admin/1/devices/\(id)/pushes", "{}")
      let watcher = Caller(client: anna.client, headers: ops.headers)
      try await until {
        let lane = try await watcher.call("GET", "/admin/1/lanes").json[0]
        return lane?["open"] == 1 && lane?["waiting"] == 1
      }
      let lane = try await watcher.call("GET", "/admin/1/lanes").json[0]
      #expect(lane?["reason"]?.string?.contains("InvalidProviderToken") == true && lane?["nextProbeAt"]?.string != nil)
      let listed = try await watcher.call("GET", "/admin/1/queues").json
      #expect(listed.array?.count == 1 && listed[0]?["id"]?.string == id && listed[0]?["waiting"] == 1)
      let one = try await watcher.call("GET", "/admin/1/queues/\(id)").json
      #expect(one["laneState"] == "open" && one["why"]?.string?.contains("InvalidProviderToken") == true)
      #expect(one["pushes"]?[0]?["stage"] == "lane" && one["pushes"]?[0]?["failures"] == 0)
      courier.answer(always: .delivered(id: "as-1"))
      #expect(try await watcher.call("POST", "/admin/1/lanes/reset").status == 204)
      #expect(try await pushed.json["outcome"] == "delivered")
      try await until { try await watcher.call("GET", "/admin/1/queues").json == [] }
      let empty = try await watcher.call("GET", "/admin/1/queues/\(id)").json
      #expect(empty["why"] == .null && empty["lane"] == .null && empty["pushes"] == [])
    }
  }

  @Test("what waits for its next attempt says why, and until when")
  func waitsForRetry() async throws {
    try await run { _, courier, anna, ops in
      let id = try await device(anna)
      courier.answer(.retryable(reason: "HTTP 503"))
      async let pushed = ops.call("POST", "/admin/1/devices/\(id)/pushes", "{}")
      let watcher = Caller(client: anna.client, headers: ops.headers)
      try await until {
        try await watcher.call("GET", "/admin/1/queues/\(id)").json["pushes"]?[0]?["stage"] == "retry"
      }
      let one = try await watcher.call("GET", "/admin/1/queues/\(id)").json
      #expect(one["why"] == "HTTP 503" && one["pushes"]?[0]?["failures"] == 1)
      #expect(one["pushes"]?[0]?["nextAttemptAt"]?.string != nil)
      #expect(one["pushes"]?[0]?["history"]?[0]?["reason"] == "HTTP 503")
      #expect(try await pushed.json["outcome"] == "delivered")
    }
  }

  @Test("queues come page by page, and what is asked for wrongly is refused")
  func queuePages() async throws {
    try await run { _, _, _, ops in
      let unknown = try await ops.call("GET", "/admin/1/queues/nobody")
      #expect(unknown.status == 404)
      for bad in ["queues?limit=0", "queues?x=1", "queues/x?after=1", "queues/x?limit=501"] {
        #expect(try await ops.call("GET", "/admin/1/\(bad)").status == 400, "\(bad)")
      }
    }
  }

  @Test("without an operator's token none of it is told or done")
  func permission() async throws {
    try await run { server, _, anna, _ in
      let agent = try server.tokens.create(name: "agent", role: .supervisor)
      let caller = Caller(client: try await server.connect(), headers: "Authorization: Bearer \(agent)\r\n")
      for (method, path) in [
        ("GET", "/admin/1/devices"), ("POST", "/admin/1/devices"), ("GET", "/admin/1/devices/x"),
        ("POST", "/admin/1/devices/x/end"), ("POST", "/admin/1/devices/x/pushes"), ("GET", "/admin/1/dead-letters"),
        ("POST", "/admin/1/dead-letters/x/y/1/retry"), ("DELETE", "/admin/1/dead-letters/x/y/1"),
        ("POST", "/admin/1/dead-letters/x/y/retry"), ("DELETE", "/admin/1/dead-letters/x/y"),
        ("POST", "/admin/1/dead-letters/replay"), ("GET", "/admin/1/dead-letters/replay"),
        ("DELETE", "/admin/1/dead-letters/replay"),
        ("GET", "/admin/1/lanes"), ("POST", "/admin/1/lanes/reset"), ("GET", "/admin/1/queues"),
        ("GET", "/admin/1/queues/x"),
      ] {
        #expect(try await caller.call(method, path).status == 403, "\(method) \(path)")
        #expect(try await anna.call(method, path).status == 401, "\(method) \(path)")
      }
    }
  }

  private func device(_ caller: Caller) async throws -> String {
    try #require(
      try await caller.call("POST", "/devices/1", "type=ios&identifier=\(Self.token)").json["id"]?.string)
  }
}
