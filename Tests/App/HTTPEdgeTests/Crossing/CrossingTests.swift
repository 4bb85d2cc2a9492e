import JSONEnvelope
import Testing

@testable import HTTPEdge

/// Everybody reaches for everything that is not theirs: the routes are those of `/openapi.json`, so that a new one is tried
/// too.
@Suite("Whose objects are: every route with an id, for every caller", .timeLimit(.minutes(5)))
struct CrossingTests {
  private struct Operation {
    let id: String
    let method: String
    let path: String
  }

  /// Those with something in braces, what only looks first.
  private static func operations(_ world: CrossingWorld) async throws -> [Operation] {
    let paths = try #require(try await world[.nobody].call("GET", "/openapi.json").json["paths"]?.object)
    var operations: [Operation] = []
    for path in paths.members where path.name.contains("{") {
      for item in path.value.object?.members ?? [] {
        let id = try #require(item.value["operationId"]?.string)
        operations.append(Operation(id: id, method: item.name.uppercased(), path: path.name))
      }
    }
    #expect(operations.count > 80)
    return operations
  }

  private static func place(of operation: Operation) -> CrossingPlace? {
    CrossingPlace.all.filter { operation.path.hasPrefix($0.beginning) }.max { $0.beginning.count < $1.beginning.count }
  }

  private static func target(_ path: String, _ values: [String: String]) -> String {
    values.reduce(path) { $0.replacing("{\($1.key)}", with: PathText.encode($1.value)) }
  }

  /// What is seen of the object, and with what status.
  private static func look(
    at place: CrossingPlace, _ values: CrossingPlace.Values, in world: CrossingWorld
  ) async throws -> String {
    let answer = try await world[place.look.caller].call("GET", target(place.look.path, values))
    return "\(answer.status) \(place.look.isSteady ? answer.body : "")"
  }

  @Test("nobody but those whose it is, and for others it might as well not be there")
  func crossing() async throws {
    try await CrossingWorld.run { world in
      var served: Set<String> = []
      for operation in try await Self.operations(world) where CrossingPlace.open[operation.id] == nil {
        if operation.path.hasPrefix(CrossingPlace.operators) { continue }
        guard let place = Self.place(of: operation) else {
          Issue.record(
            "\(operation.method) \(operation.path) (\(operation.id)): whose it is has no row in CrossingPlace")
          continue
        }
        let values = try await place.make(world)
        let target = Self.target(operation.path, values) + place.query
        #expect(!target.contains("{"), "\(operation.id)")
        let body = operation.method == "GET" ? "" : place.body(operation.path, values)
        let seen = try await Self.look(at: place, values, in: world)
        #expect(seen.hasPrefix("200"), "nothing to reach for by \(operation.id): \(seen)")
        for caller in CrossingWorld.Caller.allCases where caller != place.owner && place.others[caller] == nil {
          let answer = try await world[caller].call(operation.method, target, body)
          #expect(!(200..<400).contains(answer.status), "\(caller) by \(operation.id): \(answer.status) \(answer.body)")
          #expect((400..<500).contains(answer.status), "\(caller) by \(operation.id): \(answer.status) \(answer.body)")
          guard !place.nothing.isEmpty else { continue }
          // Not even that there is something can be told.
          let missing = try await world[caller].call(
            operation.method, Self.target(operation.path, values.merging(place.nothing) { $1 }) + place.query, body)
          #expect(answer.status == missing.status && answer.body == missing.body, "\(caller) by \(operation.id)")
        }
        #expect(try await Self.look(at: place, values, in: world) == seen, "after all of them by \(operation.id)")
        // The same request of its owner's is served: it was refused for who asked.
        let own = try await world[place.owner].call(operation.method, target, body)
        #expect(
          (200..<400).contains(own.status) || own.status == 409,
          "its owner by \(operation.id): \(own.status) \(own.body)")
        if (200..<400).contains(own.status) { served.insert(place.beginning) }
      }
      // What its owner is told is not always a matter of turns.
      #expect(served == Set(CrossingPlace.all.map(\.beginning)))
    }
  }

  @Test("an agent of another service reaches nothing that waits for an agent either")
  func waiting() async throws {
    try await CrossingWorld.run { world in
      for operation in try await Self.operations(world) where operation.path.hasPrefix("/agent/1/") {
        let place = try #require(Self.place(of: operation))
        let values = [
          "chat": try await world.chat(with: nil).chat, "id": try await world.callback(), "key": "ann",
          "file": "of-nobody",
        ]
        let body = operation.method == "GET" ? "" : place.body(operation.path, values)
        let answer = try await world[.otherAgent].call(operation.method, Self.target(operation.path, values), body)
        let missing = try await world[.otherAgent].call(
          operation.method, Self.target(operation.path, values.merging(place.nothing) { $1 }), body)
        #expect(answer.status == 404 && answer.body == missing.body, "\(operation.id): \(answer.status)")
        // It is there, and waits.
        for path in ["/agent/1/chats/{chat}", "/agent/1/callbacks/{id}"] {
          #expect(try await world[.agent].call("GET", Self.target(path, values)).status == 200, "\(operation.id)")
        }
      }
    }
  }

  @Test("those who reach for it are somebody: each is served where things are their own")
  func others() async throws {
    try await CrossingWorld.run { world in
      let chat = try await world.chat(of: CrossingWorld.otherService, by: .otherCustomer, with: .otherAgent).chat
      let subscription = try await world.subscription(of: .otherCustomer)
      let device = try await world.customersDevice("device-78", of: .otherCustomer)
      let request = try await world[.otherSupportUser].ask("Me too")
      let token = try await world.device(.otherDevice).token(sender: "4712")
      for (caller, path) in [
        (.otherAgent, "/agent/1/chats/\(chat)"), (.otherAgent, "/agent/1/chats/\(chat)/transcript"),
        (.otherCustomer, "/genesys/1/notification/subscription/\(subscription)"),
        (.otherCustomer, "/devices/1/\(device)"), (.otherSupportUser, "/api/v2/requests/\(request)"),
        (.otherSender, "/iid/info/\(token)"),
      ] as [(CrossingWorld.Caller, String)] {
        #expect(try await world[caller].call("GET", path).status == 200, "\(caller) \(path)")
      }
    }
  }

  @Test("an id in a body or a query opens no more than one in a path")
  func bodies() async throws {
    try await CrossingWorld.run { world in
      let token = try await world.device(.device).token()
      let request = try await world[.supportUser].ask("Help")
      let topic = #"{"token":"\#(token)","topic":"news"}"#
      let batch = #"{"to":"/topics/news","registration_tokens":["\#(token)"]}"#
      let message = #"{"message":{"token":"\#(token)"}}"#
      let type = [("Content-Type", "application/json")]
      for caller in CrossingWorld.Caller.allCases {
        let who = world[caller]
        let ofDevice = caller == .device ? 204 : caller == .otherDevice ? 404 : 401
        let joined = try await who.call("POST", "/device/1/topics", topic)
        #expect(joined.status == ofDevice, "\(caller)")
        let left = try await who.call("DELETE", "/device/1/topics?token=\(PathText.encode(token))&topic=news")
        #expect(left.status == ofDevice, "\(caller)")
        // With the project of one's own in the path.
        let project = caller == .sender ? "shop" : "bank"
        let posted = try await who.call("POST", "/v1/projects/\(project)/messages:send", message, adding: type)
        #expect(posted.status == (caller == .sender ? 200 : caller == .otherSender ? 403 : 401), "\(caller)")
        // These have an answer for each token.
        let sent = try await who.call("POST", "/gcm/send", #"{"to":"\#(token)","data":{"a":"b"}}"#, adding: type)
        let added = try await who.call("POST", "/iid/v1:batchAdd", batch)
        let statuses = [sent.status, added.status]
        let errors = [sent, added].map { $0.json["results"]?[0]?["error"]?.string }
        switch caller {
        case .sender: #expect(statuses == [200, 200] && errors == [nil, nil])
        case .otherSender: #expect(statuses == [200, 200] && errors == ["MismatchSenderId", "INVALID_ARGUMENT"])
        default: #expect(statuses == [401, 401], "\(caller)")
        }
        let requests = try await who.call("GET", "/api/v2/requests/show_many?tokens=\(request)").json["count"]?.integer
        #expect((requests ?? 0) == (caller == .supportUser ? 1 : 0), "\(caller)")
        let tickets = try await who.call("GET", "/api/v2/tickets/show_many?ids=\(request)").json["count"]?.integer
        #expect((tickets ?? 0) == ([.agent, .supervisor, .operator].contains(caller) ? 1 : 0), "\(caller)")
      }
    }
  }

  @Test("operators' routes are refused to everybody else for what they are")
  func operators() async throws {
    try await CrossingWorld.run { world in
      for operation in try await Self.operations(world) where operation.path.hasPrefix(CrossingPlace.operators) {
        let target = operation.path.split(separator: "/").map { $0.hasPrefix("{") ? "1" : $0 }.joined(separator: "/")
        for caller in CrossingWorld.Caller.allCases where caller != .operator {
          let answer = try await world[caller].call(operation.method, "/" + target, "{}")
          #expect([401, 403].contains(answer.status), "\(caller) by \(operation.id): \(answer.status)")
        }
        let own = try await world[.operator].call(operation.method, "/" + target, "{}")
        #expect(own.status != 401 && own.status != 403, "an operator by \(operation.id)")
      }
    }
  }

  @Test("each exception is one of a route that there is, and each kind of object has its routes")
  func exceptions() async throws {
    try await CrossingWorld.run { world in
      let operations = try await Self.operations(world)
      #expect(Set(CrossingPlace.open.keys).isSubset(of: operations.map(\.id)))
      for place in CrossingPlace.all {
        #expect(operations.contains { $0.path.hasPrefix(place.beginning) }, "\(place.beginning)")
      }
      for (kind, id) in CrossingPlace.kinds {
        #expect(operations.contains { $0.id == id && Self.place(of: $0) != nil }, "\(kind)")
        #expect(CrossingPlace.open[id] == nil, "\(kind)")
      }
    }
  }

  @Test("what is found by a query: one's own, and nobody's; lists are the operator's")
  func queries() async throws {
    try await CrossingWorld.run { world in
      let id = try await world.callback()
      for path in ["/genesys/1/service/callback", "/genesys/1/service/callback/callback-voice"] {
        for caller in CrossingWorld.Caller.allCases {
          for query in [
            "", "?_callback_state=QUEUED", "?_customer_number=!%2B2", "?_customer_number=%2B1", "?_id=\(id)",
          ] {
            let answer = try await world[caller].call("GET", path + query)
            let isKey = query.hasPrefix("?_id") || query == "?_customer_number=%2B1"
            switch caller {
            case .operator: #expect(answer.body.contains(id), "\(query)")
            case .customer where isKey: #expect(answer.body.contains(id), "\(query)")
            default: #expect(isKey ? answer.body == "[]" : answer.status == 400, "\(caller) \(query) \(answer.body)")
            }
          }
        }
      }
      let tokens = try await world[.otherSupportUser].call(
        "POST", "/api/mobile/requests.json",
        #"{"request":{"subject":"x","comment":{"body":"x","uploads":["\#(try await world.upload())"]}}}"#)
      #expect(tokens.status == 422, "another's upload is attached")
    }
  }

  @Test("data under an id of one's own is in nobody else's way")
  func custom() async throws {
    try await CrossingWorld.run { world in
      for (caller, value, status) in [
        (.customer, "ann's", 200), (.nobody, "x", 400), (.otherCustomer, "ben's", 200),
      ] as [(CrossingWorld.Caller, String, Int)] {
        let answer = try await world[caller].call(
          "POST", "/genesys/1/storage/custom/cart/600", #"{"a":"\#(value)"}"#)
        #expect(answer.status == status)
      }
      #expect(try await world[.customer].call("GET", "/genesys/1/storage/cart").json["a"] == "ann's")
      #expect(try await world[.otherCustomer].call("GET", "/genesys/1/storage/cart").json["a"] == "ben's")
      for caller in CrossingWorld.Caller.allCases where caller != .customer && caller != .otherCustomer {
        #expect(try await world[caller].call("GET", "/genesys/1/storage/cart").status == 404)
      }
    }
  }
}
