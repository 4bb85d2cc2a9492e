import TestSupport

/// What the seed decides.
struct Chance: Sendable {
  private var generator: SeededGenerator

  init(seed: UInt64) { generator = SeededGenerator(seed: seed) }

  mutating func next() -> UInt64 { generator.next() }

  /// A number from 0 up to, but not including, `bound`.
  mutating func below(_ bound: Int) -> Int { Int(generator.next() % UInt64(bound)) }

  mutating func number(in range: ClosedRange<Int>) -> Int { range.lowerBound + below(range.count) }

  /// True `percent` times in a hundred.
  mutating func comes(_ percent: Int) -> Bool { below(100) < percent }

  mutating func one<Element>(of elements: [Element]) -> Element? {
    elements.isEmpty ? nil : elements[below(elements.count)]
  }

  mutating func fill(_ bytes: UnsafeMutableRawBufferPointer) {
    for index in bytes.indices { bytes[index] = UInt8(truncatingIfNeeded: generator.next()) }
  }
}
