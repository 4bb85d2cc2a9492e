/// A fixed piece of work of the kind that the server does, on one processor: bytes are put together, hashed, and kept in
/// a dictionary for a while. It never changes, so that figures of different hours can be held against it.
enum ProcessorYardstick {
  private static let duration = Duration.milliseconds(500)
  private static let kept = 1_024

  static func stepsPerSecond() -> Double {
    let began = ContinuousClock.now
    var (steps, table) = (0, [UInt64: [UInt8]]())
    while ContinuousClock.now - began < duration {
      for _ in 0..<1_000 {
        step(steps, &table)
        steps += 1
      }
    }
    return Double(steps) / (ContinuousClock.now - began).inSeconds
  }

  private static func step(_ number: Int, _ table: inout [UInt64: [UInt8]]) {
    var bytes: [UInt8] = []
    for index in 0..<200 { bytes.append(UInt8(truncatingIfNeeded: number &* 31 &+ index)) }
    var hash: UInt64 = 0xCBF2_9CE4_8422_2325
    for byte in bytes { hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01B3 }
    bytes.append(UInt8(truncatingIfNeeded: hash))
    table[UInt64(number % kept)] = bytes
  }
}
