import EntityRuntime
import EventSourcing
import Synchronization

/// The live Comet sessions, by clientId and by whom they are bound to.
package final class CometDirectory: Sendable {
  private struct State {
    var sessions: [String: CometSession] = [:]
    var byUser: [String: [String]] = [:]
    var byService: [String: [String]] = [:]
    /// Sessions that are gone but whose end is not in the journal yet.
    var departing: [String: CometSession] = [:]
    /// ClientIds of the sessions whose end was journalled while a snapshot is made; nil while none is.
    var departed: [String]?
  }

  private let state = Mutex(State())

  package subscript(clientID: String) -> CometSession? { state.withLock { $0.sessions[clientID] } }

  var count: Int { state.withLock { $0.sessions.count } }
  package var all: [CometSession] { state.withLock { Array($0.sessions.values) } }

  /// - Returns: false at a limit; nothing is inserted then.
  func insert(_ session: CometSession, limit: Int, limitByUser: Int) -> Bool {
    state.withLock { state in
      guard state.sessions.count < limit else { return false }
      if let user = session.userKey {
        guard state.byUser[user]?.count ?? 0 < limitByUser else { return false }
        state.byUser[user, default: []].append(session.clientID)
      }
      if let service = session.serviceID {
        guard state.byService[service]?.count ?? 0 < limitByUser else { return false }
        state.byService[service, default: []].append(session.clientID)
      }
      state.sessions[session.clientID] = session
      return true
    }
  }

  /// - Parameter isDeparting: the end of the session is still to be journalled; `departed` follows.
  func remove(_ session: CometSession, isDeparting: Bool = false) {
    state.withLock { state in
      state.sessions[session.clientID] = nil
      if isDeparting { state.departing[session.clientID] = session } else { state.departed?.append(session.clientID) }
      if let user = session.userKey {
        state.byUser[user]?.removeAll { $0 == session.clientID }
        if state.byUser[user]?.isEmpty == true { state.byUser[user] = nil }
      }
      if let service = session.serviceID {
        state.byService[service]?.removeAll { $0 == session.clientID }
        if state.byService[service]?.isEmpty == true { state.byService[service] = nil }
      }
    }
  }

  /// The session under this id, also one whose end is not in the journal yet.
  func session(evenDeparting clientID: String) -> CometSession? {
    state.withLock { $0.sessions[clientID] ?? $0.departing[clientID] }
  }

  /// The session's end is in the journal.
  func departed(_ session: CometSession) {
    state.withLock { state in
      state.departing[session.clientID] = nil
      state.departed?.append(session.clientID)
    }
  }

  /// The sessions that are bound to this user.
  package func sessions(userKey: String) -> [CometSession] {
    state.withLock { state in (state.byUser[userKey] ?? []).compactMap { state.sessions[$0] } }
  }

  /// The sessions that are bound to one of these keys or, unless it is nil, to this service id; each once.
  package func sessions(userKeys: [String], serviceID: String?) -> [CometSession] {
    state.withLock { state in
      var ids: [String] = []
      for found in userKeys.map({ state.byUser[$0] }) + [serviceID.flatMap { state.byService[$0] }] {
        ids += found?.filter { !ids.contains($0) } ?? []
      }
      return ids.compactMap { state.sessions[$0] }
    }
  }
}

extension CometDirectory: SnapshotSource {
  var kind: EntityKind { .cometSession }

  var keys: [String] { state.withLock { Array($0.sessions.keys) + Array($0.departing.keys) } }

  func beginSnapshot() { state.withLock { $0.departed = [] } }

  func endSnapshot() -> [String] {
    state.withLock { state in
      defer { state.departed = nil }
      return state.departed ?? []
    }
  }

  func capture(_ key: String) async -> CapturedEntity? {
    await state.withLock { $0.sessions[key] ?? $0.departing[key] }?.capture()
  }
}
