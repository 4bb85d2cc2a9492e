import JSONEnvelope
import Synchronization

/// A device that stays connected across the kills, and what it has seen.
final class KillDevice: Sendable {
  /// How it acknowledges, and whether its logins list what it has received.
  struct Habit: Sendable {
    let acknowledges: String
    let lists: Bool

    /// Everything comes again with each connection.
    var forgetsAll: Bool { acknowledges == "none" && !lists }

    var arguments: [String] { ["--ack", acknowledges, "--list", lists ? "yes" : "no", "--reconnect", "0.1"] }
  }

  struct State {
    var logins = 0
    /// By its number in the data, the id under which each message came.
    var received: [String: String] = [:]
    var ids: Set<String> = []
    /// Acknowledged, and the server has confirmed it: never to be seen again.
    var settled: Set<String> = []
    /// What came over the connection that there is now.
    var onConnection: Set<String> = []
    var repeats = 0
    var violations: [String] = []
  }

  let name: String
  let habit: Habit
  let device: MessagingDevice
  private let state = Mutex(State())

  init(name: String, habit: Habit, device: MessagingDevice) {
    self.name = name
    self.habit = habit
    self.device = device
  }

  var snapshot: State { state.withLock { $0 } }

  /// Writes down everything until the script ends.
  func watch() async {
    do {
      while let event = try await device.script.nextOrEnd(within: .seconds(1_800)) {
        state.withLock { take(event, &$0) }
      }
    } catch {
      state.withLock { $0.violations.append("\(error)") }
    }
  }

  private func take(_ event: JSONValue, _ state: inout State) {
    if let login = event["login"] {
      guard login["error"] == nil else { return state.violations.append("refused: \(login)") }
      state.logins += 1
      state.onConnection = []
      // The answer to a login is the answer to its list.
      if habit.lists { state.settled.formUnion(state.ids) }
    } else if let ids = event["confirmed"]?.array?.compactMap(\.string) {
      state.settled.formUnion(ids)
    } else if let message = event["message"] {
      take(message: message, &state)
    } else if let text = event["failed"]?.string, text != "not connected" {
      state.violations.append(text)
    }
  }

  private func take(message: JSONValue, _ state: inout State) {
    guard let id = message["persistentId"]?.string, let number = message["data"]?["n"]?.string else {
      return state.violations.append("not a message of this test: \(message)")
    }
    if state.settled.contains(id) { state.violations.append("\(number) came again, though acknowledged for good") }
    if !state.onConnection.insert(id).inserted { state.violations.append("\(number) came twice over one connection") }
    if !state.ids.insert(id).inserted { state.repeats += 1 }
    if let before = state.received.updateValue(id, forKey: number), before != id {
      state.violations.append("\(number) came as \(before) and as \(id)")
    }
  }

  /// Waits until it is connected anew and has again all that it is owed.
  func isBack(after logins: Int) async throws {
    _ = try await eventually("\(name) is back") { () -> Bool? in
      let state = snapshot
      guard state.logins > logins else { return nil }
      // A device that acknowledges too little would run into the limit of a hundred messages that wait.
      if habit.forgetsAll { return state.onConnection == state.ids ? true : nil }
      let waiting = state.onConnection.subtracting(state.settled).count
      guard !habit.lists, waiting > Self.waitingMaximum else { return true }
      // The answer confirms what has been acknowledged.
      try device.script.send(["do": "ping"])
      return nil
    }
  }

  private static let waitingMaximum = 30
}
