internal import Synchronization

#if canImport(FoundationEssentials)
  internal import struct FoundationEssentials.Data
  internal import struct FoundationEssentials.URL
#else
  internal import struct Foundation.Data
  internal import struct Foundation.URL
#endif

/// What options and the files that they name mean, read once: options are asked for with every push.
final class OptionCache<Value: Sendable>: Sendable {
  /// Texts and files that are remembered.
  static var entriesMaximum: Int { 128 }
  /// Bytes of a file.
  static var fileBytesMaximum: Int { 1_048_576 }

  private enum Key: Hashable {
    case text(String)
    case file(String)
  }
  private enum Failure: Error { case malformed, unreadable }

  private let read: @Sendable ([UInt8]) -> Value?
  private let entries = Mutex<[Key: Result<Value, Failure>]>([:])

  init(_ read: @escaping @Sendable ([UInt8]) -> Value?) { self.read = read }

  /// What a text means; `option` is where it stands.
  func value(ofText text: String, option: String) throws(OptionProblem) -> Value {
    try entry(.text(text), option) { () throws(Failure) in Array(text.utf8) }
  }

  /// What a file says. Blocks the first time.
  func value(ofFile path: String, option: String) throws(OptionProblem) -> Value {
    try entry(.file(path), option) { () throws(Failure) in
      guard let data = try? Data(contentsOf: URL(fileURLWithPath: path)), data.count <= Self.fileBytesMaximum else {
        throw .unreadable
      }
      return Array(data)
    }
  }

  /// Reads the files again when they are asked for. Spec: `PushProvider.reload`.
  func forget() { entries.withLock { $0 = [:] } }

  private func entry(_ key: Key, _ option: String, _ load: () throws(Failure) -> [UInt8]) throws(OptionProblem) -> Value
  {
    let known = entries.withLock { $0[key] }
    let result =
      known
      ?? Result { () throws(Failure) in
        guard let value = read(try load()) else { throw .malformed }
        return value
      }
    if known == nil {
      entries.withLock { entries in
        // Some thousand different credentials at once are not worth a better rule.
        if entries.count >= Self.entriesMaximum { entries = [:] }
        entries[key] = result
      }
    }
    switch result {
    case .success(let value): return value
    case .failure(.malformed): throw OptionProblem(malformed: option)
    case .failure(.unreadable): throw OptionProblem(unreadable: option)
    }
  }
}
