import CarillonClient
import Foundation
import JSONEnvelope

/// A customer's app that wants callbacks, byte by byte as gms.md prints them.
struct CallbackCustomer: Sendable {
  let wire: Wire

  init(_ server: ServerProcess, user: String? = nil) { wire = server.wire(user: user) }

  /// - Returns: the callback's id.
  func order(_ service: String, _ fields: [String: String]) async throws -> String {
    let all = ["_customer_number": "+4930555010"].merging(fields) { _, own in own }
    var object = JSONObject()
    for (name, value) in all { object[name] = .string(value) }
    let answer = try await wire.json("/genesys/1/service/callback/\(service)", .object(object))
    guard answer.status == 200, let id = answer.json["_id"]?.string else {
      throw EndToEndFailure("the order was answered \(answer.status): \(answer.text)")
    }
    return id
  }

  func act(_ action: String, on id: String) async throws -> WireResponse {
    try await wire.ask("POST", "/genesys/1/service/\(id)/\(action)")
  }

  /// Whole seconds from now, as `_desired_time` has them.
  static func time(inSeconds seconds: Double) -> String {
    Date(timeIntervalSinceNow: seconds).formatted(.iso8601)
  }
}

extension ServerProcess {
  func setReady(_ isReady: Bool, agent name: String = "k") async throws {
    let answer = try await agent(name).ask(
      "PUT", "/agent/1/me", JSONValue.object(["ready": .bool(isReady)]).text, type: "application/json")
    guard answer.status == 200 else { throw EndToEndFailure("ready was answered \(answer.status): \(answer.text)") }
  }

  /// A callback as a supervisor sees it: also one that is over, and that no agent ever had.
  func callback(_ id: String) async throws -> JSONValue {
    let supervisor = "boss"
    if token(supervisor).isEmpty { try await makeToken(supervisor, ["--role", "supervisor"]) }
    return try await agent(supervisor).get("/agent/1/callbacks/\(id)").json
  }

  /// The names of what has happened to a callback, as the journal has them; the server may run.
  func history(ofCallback id: String) async throws -> [String] {
    let dump = try await command(["journal", "dump", dataDirectory, "--entity", "callback:\(id)"])
    guard dump.status == 0 else { throw EndToEndFailure("journal dump ended with \(dump.status): \(dump.output)") }
    return dump.output.split(separator: "\n").compactMap { (try? JSONValue(parsing: String($0)))?["name"]?.string }
  }
}

extension PushReceiver {
  /// What came for this callback: the actions, in order.
  func actions(of id: String) -> [String] {
    pushes.compactMap { $0.json["message"] }.filter { $0["_id"]?.string == id }.compactMap { $0["_action"]?.string }
  }
}
