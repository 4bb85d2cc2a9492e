import Synchronization

/// What an event looks like on the wire, written for the first stream that asks and shared with all others: a floor of
/// agents hears the same bytes.
package final class SharedRendering: Sendable {
  private struct Key: Hashable {
    let form: String
    let base: String
  }

  /// Streams that are reached by one more address than so many write for themselves.
  private static let addressesMaximum = 4

  private let written = Mutex<[Key: [UInt8]]>([:])

  init() {}

  /// - Parameters:
  ///   - form: of an event stream, or of a socket.
  ///   - base: the address by which the server is reached, which is in the URLs.
  package func bytes(_ form: String, base: String, _ write: () -> [UInt8]) -> [UInt8] {
    let key = Key(form: form, base: base)
    if let bytes = written.withLock({ $0[key] }) { return bytes }
    let bytes = write()
    written.withLock { if $0.count < Self.addressesMaximum { $0[key] = bytes } }
    return bytes
  }
}

extension SharedRendering: Equatable {
  /// Follows from the event that it is of.
  package static func == (one: SharedRendering, other: SharedRendering) -> Bool { true }
}
