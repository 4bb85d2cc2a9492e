import EventSourcing
import StorageDomain
import Synchronization

/// Finds stored data by its name, where it has one, and knows how much each user has. Rebuilt from the data after a
/// restart.
final class StorageIndex: Sendable {
  private struct State {
    var keys: [StorageName: String] = [:]
    var names: [String: StorageName] = [:]
    /// Of the files of users' data.
    var bytes: [String: Int] = [:]
    var holdings: [String: Holdings] = [:]

    mutating func change(_ user: String, _ change: (inout Holdings) -> Void) {
      var one = holdings[user] ?? Holdings()
      change(&one)
      holdings[user] = one == Holdings() ? nil : one
    }
  }

  /// What one user has here, and is about to have.
  private struct Holdings: Equatable {
    var records = 0
    var bytes = 0
    var pendingRecords = 0
    var pendingBytes = 0
  }

  /// Room for what is about to be stored.
  struct Reservation {
    fileprivate let user: String
    fileprivate let records: Int
    fileprivate let bytes: Int
  }

  private let state = Mutex(State())

  init() {}

  subscript(name: StorageName) -> String? { state.withLock { $0.keys[name] } }

  func name(of key: String) -> StorageName? { state.withLock { $0.names[key] } }

  /// True for data that only its name leads to.
  func isNamed(_ key: String) -> Bool { state.withLock { $0.names[key] != nil } }

  /// The key of the data with this name: what there is, else `fresh`, which has the name from now on.
  func claim(_ name: StorageName, for fresh: String) -> String {
    state.withLock { state in
      if let key = state.keys[name] { return key }
      state.keys[name] = fresh
      state.names[fresh] = name
      if let user = name.user { state.change(user) { $0.records += 1 } }
      return fresh
    }
  }

  /// Makes room for what a user is about to store; `release` has to follow, whatever comes of it.
  ///
  /// - Parameters:
  ///   - bytes: of files.
  ///   - name: of the data; nil if it will be new.
  func reserve(
    _ bytes: Int, for user: String, name: StorageName?, _ limits: EngineLimits
  ) throws(StorageFailure) -> Reservation {
    let result = state.withLock { state -> Result<Reservation, StorageFailure> in
      let has = state.holdings[user] ?? Holdings()
      let records = name.flatMap { state.keys[$0] } == nil ? 1 : 0
      guard has.records + has.pendingRecords + records <= limits.storedRecordsByUserMaximum else {
        return .failure(.quota("stored records", limit: limits.storedRecordsByUserMaximum))
      }
      guard has.bytes + has.pendingBytes + bytes <= limits.storedBytesByUserMaximum else {
        return .failure(.quota("bytes of stored files", limit: limits.storedBytesByUserMaximum))
      }
      state.change(user) {
        $0.pendingRecords += records
        $0.pendingBytes += bytes
      }
      return .success(Reservation(user: user, records: records, bytes: bytes))
    }
    return try result.get()
  }

  func release(_ reservation: Reservation) {
    state.withLock { state in
      state.change(reservation.user) {
        $0.pendingRecords -= reservation.records
        $0.pendingBytes -= reservation.bytes
      }
    }
  }

  /// So many bytes of files the data has now.
  func holds(_ bytes: Int, _ key: String) {
    state.withLock { state in
      guard let user = state.names[key]?.user else { return }
      let before = state.bytes[key] ?? 0
      state.bytes[key] = bytes > 0 ? bytes : nil
      state.change(user) { $0.bytes += bytes - before }
    }
  }

  /// The data is gone: its name may be given anew.
  func remove(_ key: String) {
    state.withLock { state in
      guard let name = state.names.removeValue(forKey: key) else { return }
      if state.keys[name] == key { state.keys[name] = nil }
      guard let user = name.user else { return }
      let bytes = state.bytes.removeValue(forKey: key) ?? 0
      state.change(user) {
        $0.records -= 1
        $0.bytes -= bytes
      }
    }
  }
}

extension StorageName {
  /// Whose it is; nil for what is this house's own.
  var user: String? {
    guard case .custom(_, let user) = self, !SupportUserKey.isNobodys(user) else { return nil }
    return user
  }
}

/// What is known of stored data while it sleeps: its name 1 (absent: none) and its files 2….
struct StorageNote: Sendable {
  var name: StorageName?
  var files: [(digest: [UInt8], byteCount: Int)] = []

  init(_ data: borrowing StoredData) {
    name = data.name
    files = data.files.map { ($0.digest, $0.byteCount) }
  }

  var bytes: [UInt8] {
    var writer = PayloadWriter()
    if let name { writer.nested(1) { name.encode(into: &$0) } }
    for file in files {
      writer.nested(2) { inner in
        inner.data(1, file.digest)
        inner.integer(2, file.byteCount)
      }
    }
    return writer.bytes
  }

  init(bytes: [UInt8]) throws(PayloadError) {
    self = try bytes.withUnsafeBufferPointer { buffer throws(PayloadError) in
      var reader = PayloadReader(UnsafeRawBufferPointer(buffer))
      return try StorageNote(payload: &reader)
    }
  }

  private init(payload: inout PayloadReader) throws(PayloadError) {
    while let field = try payload.next() {
      var inner = try payload.nested()
      switch field {
      case 1: name = try StorageName(payload: &inner)
      case 2:
        var digest: [UInt8] = [], byteCount = 0
        while let field = try inner.next() {
          switch field {
          case 1: digest = try inner.data()
          case 2: byteCount = try inner.integer()
          default: try inner.skip()
          }
        }
        guard digest.count == 32 else { throw .missingField(1) }
        files.append((digest, byteCount))
      default: break
      }
    }
  }
}
