import EngineKit
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
    /// Where the partition of each clientId notes the ends that are journalled while a snapshot is made.
    var shelf: (@Sendable (_ clientID: String) -> CometShelf)?

    func note(_ clientID: String) { shelf?(clientID).note(clientID) }
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
      if isDeparting { state.departing[session.clientID] = session } else { state.note(session.clientID) }
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
      state.note(session.clientID)
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

extension CometDirectory {
  /// Those of each partition, for its snapshots; once.
  func shelves(_ partitions: Partitions) -> [CometShelf] {
    let shelves = partitions.all.map { CometShelf(self, $0.number, partitions) }
    state.withLock { state in
      precondition(state.shelf == nil, "there is one shelf for each partition")
      state.shelf = { shelves[partitions[EntityID(.cometSession, $0)].number] }
    }
    return shelves
  }

  /// Also those whose end is not in the journal yet.
  fileprivate var clientIDs: [String] { state.withLock { Array($0.sessions.keys) + Array($0.departing.keys) } }
}

/// The Comet sessions that lie in one partition, as its snapshots want them.
final class CometShelf: SnapshotSource {
  private unowned let directory: CometDirectory
  private let partition: Int
  private let partitions: Partitions
  /// ClientIds of the sessions whose end was journalled while a snapshot is made; nil while none is.
  private let departed = Mutex<[String]?>(nil)

  init(_ directory: CometDirectory, _ partition: Int, _ partitions: Partitions) {
    self.directory = directory
    self.partition = partition
    self.partitions = partitions
  }

  var kind: EntityKind { .cometSession }

  var keys: [String] {
    let all = directory.clientIDs
    return partitions.all.count == 1 ? all : all.filter { partitions[EntityID(.cometSession, $0)].number == partition }
  }

  var count: Int { keys.count }

  func beginSnapshot() { departed.withLock { $0 = [] } }

  func endSnapshot() -> [String] {
    departed.withLock { departed in
      defer { departed = nil }
      return departed ?? []
    }
  }

  func note(_ clientID: String) { departed.withLock { $0?.append(clientID) } }

  func capture(_ key: String) async -> CapturedEntity? { await directory.session(evenDeparting: key)?.capture() }
}
