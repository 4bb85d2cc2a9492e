import CarillonClient
import JSONEnvelope
import Synchronization

/// App servers that send one message after the other to the same devices, and write down the ids that they are answered.
final class KillSender: Sendable {
  struct State {
    /// The ids that the server has promised.
    var answered: [(number: String, device: String, id: String)] = []
    var requests = 0
    var doubtful = 0
    var violations: [String] = []
  }

  private let pool: HTTPPool
  private let key: String
  private let state = Mutex(State())

  init(_ pool: HTTPPool, key: String) {
    self.pool = pool
    self.key = key
  }

  var snapshot: State { state.withLock { $0 } }

  /// `clients` at once, `count` messages in all, until the server is gone.
  func burst(_ count: Int, to devices: [KillDevice], clients: Int) async {
    await withTaskGroup { tasks in
      for _ in 0..<clients {
        tasks.addTask {
          for _ in 0..<(count / clients) {
            guard await self.send(to: devices) else { return }
          }
        }
      }
    }
  }

  /// - Returns: false if there is no server any more.
  @discardableResult
  func send(to devices: [KillDevice]) async -> Bool {
    let number = state.withLock { state in
      state.requests += 1
      return "\(state.requests)"
    }
    let body: JSONValue = [
      "registration_ids": .array(devices.map(\.device.target)), "data": ["n": .string(number)], "time_to_live": 600,
    ]
    let request = HTTPRequest(
      .post, "/gcm/send", headers: [(name: "Authorization", value: "key=\(key)")], contentType: "application/json",
      body: body.text)
    do {
      let response = try await pool.response(to: request)
      if response.status == 503 { return true }
      let results = try JSONValue(parsing: response.bodyBytes)["results"]?.array ?? []
      state.withLock { take(results, number, devices, &$0) }
      return true
    } catch {
      state.withLock { $0.doubtful += 1 }
      return false
    }
  }

  private func take(_ results: [JSONValue], _ number: String, _ devices: [KillDevice], _ state: inout State) {
    guard results.count == devices.count else {
      return state.violations.append("\(results.count) answers for \(devices.count) devices")
    }
    for (result, device) in zip(results, devices) {
      if let id = result["message_id"]?.string {
        state.answered.append((number, device.name, id))
      } else if result["error"] != "Unavailable" {
        state.violations.append("\(number) to \(device.name): \(result)")
      }
    }
  }
}
