import EngineKit
package import StorageDomain
import Synchronization

/// Finds stored data by its name, where it has one, and knows how much each user has, and each address has sent. Rebuilt
/// from the data after a restart, but for the addresses, which the journal does not learn: they start anew.
package final class StorageIndex: Sendable {
  private struct State {
    var keys: [StorageName: String] = [:]
    var names: [String: StorageName] = [:]
    /// Of the files of each data.
    var bytes: [String: Int] = [:]
    /// Who wrote to each data last.
    var sources: [String: StorageSource] = [:]
    var holdings: [Holder: Holdings] = [:]

    mutating func change(_ holder: Holder, _ change: (inout Holdings) -> Void) {
      var one = holdings[holder] ?? Holdings()
      change(&one)
      holdings[holder] = one == Holdings() ? nil : one
    }

    func holders(_ key: String) -> [Holder] {
      [names[key]?.user.map(Holder.user), sources[key].map(Holder.source)].compactMap(\.self)
    }
  }

  fileprivate enum Holder: Hashable {
    case user(String)
    case source(StorageSource)

    func bounds(_ limits: EngineLimits) -> (records: Int, bytes: Int) {
      switch self {
      case .user: (limits.storedRecordsByUserMaximum, limits.storedBytesByUserMaximum)
      case .source: (limits.storedRecordsByAddressMaximum, limits.storedBytesByAddressMaximum)
      }
    }

    var kind: StorageHolder {
      switch self {
      case .user: .user
      case .source: .address
      }
    }
  }

  /// What one of them has here, and is about to have.
  private struct Holdings: Equatable {
    var records = 0
    var bytes = 0
    var pendingRecords = 0
    var pendingBytes = 0
  }

  /// Room for what is about to be stored.
  struct Reservation {
    fileprivate struct Share {
      let holder: Holder
      let records: Int
      let bytes: Int
    }

    fileprivate let shares: [Share]
  }

  private let state = Mutex(State())

  init() {}

  subscript(name: StorageName) -> String? { state.withLock { $0.keys[name] } }

  package func name(of key: String) -> StorageName? { state.withLock { $0.names[key] } }

  /// True for data that only its name leads to.
  func isNamed(_ key: String) -> Bool { state.withLock { $0.names[key] != nil } }

  /// The key of the data with this name: what there is, else `fresh`, which has the name from now on.
  func claim(_ name: StorageName, for fresh: String) -> String {
    state.withLock { state in
      if let key = state.keys[name] { return key }
      state.keys[name] = fresh
      state.names[fresh] = name
      if let user = name.user { state.change(.user(user)) { $0.records += 1 } }
      return fresh
    }
  }

  /// Makes room for what is about to be stored; `release` has to follow, whatever comes of it.
  ///
  /// - Parameters:
  ///   - bytes: of files.
  ///   - user: of whose bounds it is taken; nobody's if it is nil.
  ///   - source: nil for whoever has none.
  ///   - key: of the data; nil if it will be one more record.
  func reserve(
    _ bytes: Int, for user: String?, from source: StorageSource?, key: String?, _ limits: EngineLimits
  ) throws(StorageFailure) -> Reservation {
    let result = state.withLock { state -> Result<Reservation, StorageFailure> in
      var shares: [Reservation.Share] = []
      if let user { shares.append(.init(holder: .user(user), records: key == nil ? 1 : 0, bytes: bytes)) }
      if let source {
        // What another wrote last, or nobody who is known, becomes this one's with all that it has.
        let isTaken = key.map { state.sources[$0] != source } ?? true
        let present = isTaken ? key.flatMap { state.bytes[$0] } ?? 0 : 0
        shares.append(.init(holder: .source(source), records: isTaken ? 1 : 0, bytes: bytes + present))
      }
      for share in shares {
        let (has, most) = (state.holdings[share.holder] ?? Holdings(), share.holder.bounds(limits))
        // Whoever has too much, since a limit was lowered, may still change what takes no more.
        guard share.records == 0 || has.records + has.pendingRecords + share.records <= most.records else {
          return .failure(.quota("stored records", limit: most.records, of: share.holder.kind))
        }
        guard share.bytes == 0 || has.bytes + has.pendingBytes + share.bytes <= most.bytes else {
          return .failure(.quota("bytes of stored files", limit: most.bytes, of: share.holder.kind))
        }
      }
      for share in shares {
        state.change(share.holder) {
          $0.pendingRecords += share.records
          $0.pendingBytes += share.bytes
        }
      }
      return .success(Reservation(shares: shares))
    }
    return try result.get()
  }

  func release(_ reservation: Reservation) {
    state.withLock { state in
      for share in reservation.shares {
        state.change(share.holder) {
          $0.pendingRecords -= share.records
          $0.pendingBytes -= share.bytes
        }
      }
    }
  }

  /// The data, with all that it has, counts as what this source has sent.
  func attribute(_ key: String, to source: StorageSource) {
    state.withLock { state in
      let bytes = state.bytes[key] ?? 0
      if let before = state.sources.updateValue(source, forKey: key) {
        state.change(.source(before)) {
          $0.records -= 1
          $0.bytes -= bytes
        }
      }
      state.change(.source(source)) {
        $0.records += 1
        $0.bytes += bytes
      }
    }
  }

  /// So many bytes of files the data has now.
  func holds(_ bytes: Int, _ key: String) {
    state.withLock { state in
      let before = state.bytes[key] ?? 0
      state.bytes[key] = bytes > 0 ? bytes : nil
      for holder in state.holders(key) { state.change(holder) { $0.bytes += bytes - before } }
    }
  }

  /// The data is gone: its name may be given anew.
  func remove(_ key: String) {
    state.withLock { state in
      let bytes = state.bytes.removeValue(forKey: key) ?? 0
      for holder in state.holders(key) {
        state.change(holder) {
          $0.records -= 1
          $0.bytes -= bytes
        }
      }
      state.sources[key] = nil
      guard let name = state.names.removeValue(forKey: key) else { return }
      if state.keys[name] == key { state.keys[name] = nil }
    }
  }
}

extension StorageName {
  /// Whose it is; nil for what is this house's own.
  var user: String? {
    guard case .custom(_, let user) = self, !ReservedUserKey.isNobodys(user) else { return nil }
    return user
  }
}
