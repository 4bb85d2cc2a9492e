import Synchronization

/// Which requests are written down: one of so many, spread evenly.
package final class AccessSampling: Sendable {
  /// The part of all, in units of 2^-32; 0: none.
  private let part = Atomic<UInt64>(0)
  private let count = Atomic<UInt64>(0)
  private static let all: UInt64 = 1 << 32

  package init() {}

  /// - Parameter one: nil takes none.
  package func take(_ one: Int?) {
    part.store(one.map { Self.all / UInt64(max($0, 1)) } ?? 0, ordering: .relaxed)
  }

  /// Whether the next request is one of them.
  package func next() -> Bool {
    let part = part.load(ordering: .relaxed)
    guard part > 0 else { return false }
    guard part < Self.all else { return true }
    // Multiples of the golden ratio are spread evenly, and fall in step with no pattern of requests.
    let number = count.wrappingAdd(1, ordering: .relaxed).newValue
    return (number &* 0x9E37_79B9_7F4A_7C15) >> 32 < part
  }
}
