import EventSourcing
import StorageDomain
import Synchronization

/// Finds stored data by its name, where it has one. Rebuilt from the data after a restart.
final class StorageIndex: Sendable {
  private struct State {
    var keys: [StorageName: String] = [:]
    var names: [String: StorageName] = [:]
  }

  private let state = Mutex(State())

  init() {}

  subscript(name: StorageName) -> String? { state.withLock { $0.keys[name] } }

  /// True for data that only its name leads to.
  func isNamed(_ key: String) -> Bool { state.withLock { $0.names[key] != nil } }

  /// The key of the data with this name: what there is, else `fresh`, which has the name from now on.
  func claim(_ name: StorageName, for fresh: String) -> String {
    state.withLock { state in
      if let key = state.keys[name] { return key }
      state.keys[name] = fresh
      state.names[fresh] = name
      return fresh
    }
  }

  /// The data is gone: its name may be given anew.
  func remove(_ key: String) {
    state.withLock { state in
      guard let name = state.names.removeValue(forKey: key) else { return }
      if state.keys[name] == key { state.keys[name] = nil }
    }
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
