import Engine
import GCMProtocol
import PushDomain
import Synchronization

@testable import CCSEdge

/// Plays the engine: answers when the test says so, and keeps what it was told.
final class ScriptedBackend: Sendable {
  enum Event: Equatable {
    case authenticating(sender: String)
    case sending(messageID: String)
    case attached(sender: String)
    case acknowledged(messageID: String)
    case detached
  }

  private struct State {
    var holds = false
    var held: [CheckedContinuation<Void, Never>] = []
    var events: [Event] = []
    var link: (any AppServerLink)?
  }

  private let state = Mutex(State())
  private let key: String
  private let attaches: Bool

  init(key: String = "key", attaches: Bool = true) {
    self.key = key
    self.attaches = attaches
  }

  var backend: CCSBackend {
    CCSBackend(
      authenticate: { sender, password in
        self.note(.authenticating(sender: sender))
        return password == self.key
      },
      send: { address, _, _ in
        await self.take(address)
        return .ack(address, canonical: nil)
      },
      attach: { link, sender in
        self.state.withLock { $0.link = link }
        self.note(.attached(sender: sender))
        return self.attaches
      },
      acknowledge: { id, _, _ in self.note(.acknowledged(messageID: id)) },
      detach: { _, _ in self.note(.detached) })
  }

  var events: [Event] { state.withLock { $0.events } }
  var sent: [String] {
    events.compactMap { if case .sending(let id) = $0 { id } else { nil } }
  }
  /// The connection that was attached last.
  var link: (any AppServerLink)? { state.withLock { $0.link } }

  /// From now on messages are not answered until `release`.
  func hold() { state.withLock { $0.holds = true } }

  /// Answers what waits, and from now on everything.
  func release() {
    let held = state.withLock { state in
      state.holds = false
      defer { state.held = [] }
      return state.held
    }
    for continuation in held { continuation.resume() }
  }

  /// Waits until this has happened; the suite's time limit ends what never comes.
  func until(_ condition: (ScriptedBackend) -> Bool) async throws {
    while !condition(self) { try await Task.sleep(for: .milliseconds(2)) }
  }

  func until(_ event: Event) async throws { try await until { $0.events.contains(event) } }

  private func note(_ event: Event) { state.withLock { $0.events.append(event) } }

  private func take(_ address: CCSAddress) async {
    await withCheckedContinuation { continuation in
      let goesOn = state.withLock { state in
        state.events.append(.sending(messageID: address.messageID))
        if state.holds { state.held.append(continuation) }
        return !state.holds
      }
      if goesOn { continuation.resume() }
    }
  }
}
