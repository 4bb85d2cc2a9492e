import ServerKit
import Testing

@Suite("Deadline wheel")
struct DeadlineWheelTests {
  @Test("a deadline passes at its tick, once", arguments: [Int64(1), 2, 7, 8, 9, 40])
  func passing(_ ticks: Int64) {
    var wheel = DeadlineWheel<String>(slotCount: 8)
    let place = wheel.insert("a")
    wheel.setDeadline(of: place, after: ticks)
    for _ in 1..<max(1, ticks) { #expect(wheel.advance().isEmpty) }
    #expect(wheel.advance() == ["a"])
    for _ in 0..<50 { #expect(wheel.advance().isEmpty) }
  }

  @Test("a moved deadline passes only at its new tick")
  func moving() {
    var wheel = DeadlineWheel<String>(slotCount: 4)
    let place = wheel.insert("a")
    wheel.setDeadline(of: place, after: 2)
    wheel.setDeadline(of: place, after: 5)
    for _ in 0..<4 { #expect(wheel.advance().isEmpty) }
    #expect(wheel.advance() == ["a"])
  }

  @Test("a cleared deadline and a removed resident do not pass")
  func clearing() {
    var wheel = DeadlineWheel<String>(slotCount: 4)
    let (first, second) = (wheel.insert("a"), wheel.insert("b"))
    wheel.setDeadline(of: first, after: 1)
    wheel.setDeadline(of: second, after: 1)
    wheel.clearDeadline(of: first)
    wheel.remove(second)
    #expect(wheel.advance().isEmpty)
    #expect(wheel.residents == ["a"])
    #expect(wheel.count == 1)
  }

  @Test("places are used again, without their old deadline")
  func reuse() {
    var wheel = DeadlineWheel<String>(slotCount: 4)
    let place = wheel.insert("a")
    wheel.setDeadline(of: place, after: 3)
    wheel.remove(place)
    #expect(wheel.insert("b") == place)
    for _ in 0..<10 { #expect(wheel.advance().isEmpty) }
  }

  /// A plain list is the model.
  @Test("it does what a plain list would", arguments: [UInt64(1), 7, 42])
  func model(_ seed: UInt64) {
    var random = SplitMix(state: seed)
    var wheel = DeadlineWheel<Int>(slotCount: 16)
    var places: [DeadlineWheel<Int>.Place] = []
    var deadlines: [Int64?] = []
    for index in 0..<50 {
      places.append(wheel.insert(index))
      deadlines.append(nil)
    }
    for tick in Int64(1)...500 {
      for _ in 0..<5 {
        let index = Int.random(in: 0..<50, using: &random)
        if Bool.random(using: &random) {
          let ticks = Int64.random(in: 1...60, using: &random)
          wheel.setDeadline(of: places[index], after: ticks)
          deadlines[index] = tick - 1 + ticks
        } else {
          wheel.clearDeadline(of: places[index])
          deadlines[index] = nil
        }
      }
      let due = (0..<50).filter { deadlines[$0] == tick }
      for index in due { deadlines[index] = nil }
      #expect(wheel.advance().sorted() == due, "seed \(seed), tick \(tick)")
    }
  }
}

private struct SplitMix: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }
}
