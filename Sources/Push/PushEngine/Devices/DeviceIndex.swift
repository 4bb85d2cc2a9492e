import EngineKit
import Synchronization

/// Finds devices by owner and kind. Rebuilt from the devices themselves after a restart.
final class DeviceIndex: Sendable {
  private struct State {
    var notes: [String: DeviceNote] = [:]
    /// All of them, in their order.
    var keys = SortedPieces<String>()
    var byOwner: [String: Set<String>] = [:]
  }

  private let state = Mutex(State())

  init() {}

  /// - Parameter note: one without a type is of a device of which everything was erased: nobody finds it.
  func set(_ key: String, _ note: DeviceNote) {
    state.withLock { state in
      if let owner = state.notes[key]?.owner, owner != note.owner {
        state.byOwner[owner]?.remove(key)
        if state.byOwner[owner]?.isEmpty == true { state.byOwner[owner] = nil }
      }
      state.notes[key] = note.kind.type.isEmpty ? nil : note
      if note.kind.type.isEmpty { state.keys.remove(key) } else { state.keys.insert(key) }
      if let owner = note.owner { state.byOwner[owner, default: []].insert(key) }
    }
  }

  func reserveCapacity(_ count: Int) { state.withLock { $0.notes.reserveCapacity(count) } }

  /// Live devices of one owner, but for this one.
  func count(ofOwner owner: String, besides key: String) -> Int {
    state.withLock { state in
      state.byOwner[owner]?.count { $0 != key && state.notes[$0]?.kind.isLive == true } ?? 0
    }
  }

  /// Devices by type and whether they live.
  var counts: [DeviceNote.Kind: Int] {
    state.withLock { state in
      var counts: [DeviceNote.Kind: Int] = [:]
      for note in state.notes.values { counts[note.kind, default: 0] += 1 }
      return counts
    }
  }

  /// The next devices that fit, in the order of their keys.
  func keys(_ filter: DeviceFilter, after: String, limit: Int) -> [String] {
    state.withLock { state in
      func fits(_ key: String) -> Bool {
        guard let note = state.notes[key] else { return false }
        return (filter.type == nil || filter.type == note.kind.type)
          && (filter.isLive == nil || filter.isLive == note.kind.isLive)
      }
      guard let owner = filter.owner else {
        return state.keys.elements(after: after, limit: limit) { fits($0) }
      }
      return Array((state.byOwner[owner] ?? []).filter { $0 > after && fits($0) }.sorted().prefix(limit))
    }
  }
}

/// Which devices to list.
public struct DeviceFilter: Sendable, Equatable {
  public var owner: String?
  public var type: String?
  public var isLive: Bool?

  public init(owner: String? = nil, type: String? = nil, isLive: Bool? = nil) {
    self.owner = owner
    self.type = type
    self.isLive = isLive
  }
}
