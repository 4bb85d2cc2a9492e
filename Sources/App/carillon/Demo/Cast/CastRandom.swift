/// Numbers from a seed (xorshift64*): the same customers say the same on every machine.
struct CastRandom: RandomNumberGenerator, Sendable {
  private var state: UInt64

  init(seed: UInt64) {
    // Never zero, which it would not leave; and neighbours' numbers have nothing in common.
    state = (seed &* 0xD134_2543_DE82_EF95) | 1
    for _ in 0..<4 { _ = next() }
  }

  mutating func next() -> UInt64 {
    state ^= state >> 12
    state ^= state << 25
    state ^= state >> 27
    return state &* 0x2545_F491_4F6C_DD1D
  }

  mutating func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &self) }

  /// One time out of so many.
  mutating func happens(oneIn count: Int) -> Bool { number(1...count) == 1 }

  /// - Precondition: there are some.
  mutating func pick<Element>(_ elements: [Element]) -> Element {
    guard let element = elements.randomElement(using: &self) else { preconditionFailure("nothing to pick from") }
    return element
  }
}
