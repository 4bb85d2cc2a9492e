import EventSourcing

/// Which numbers of one producer a queue has taken over: the highest, and for each of the 64 below it whether it came.
///
/// ```
///   came: 1 2 3 5 7      highest: 7, missing: 6 (bit 0) and 4 (bit 2)
/// ```
/// Pushes may overtake each other, and a producer's numbers have gaps: what lies in one may be another device's, or come
/// yet. Below the window nobody can tell any more.
struct TakenNumbers: Sendable, Equatable, Codable {
  /// Numbers below the highest of which it is known whether they came: one for each bit of `missing`.
  static let windowLength = UInt64.bitWidth

  private(set) var highest = Int.min
  /// A bit for each number below the highest that has not come; the lowest is the one right below it.
  private(set) var missing: UInt64 = 0

  init() {}

  /// - Parameter missing: 0 for one who counted no gaps: all below the highest had come.
  init(highest: Int, missing: UInt64 = 0) {
    self.highest = highest
    self.missing = missing
  }

  func standing(of number: Int) -> PushStanding {
    guard number <= highest else { return .fresh }
    let (distance, isFar) = highest.subtractingReportingOverflow(number)
    guard !isFar, distance <= Self.windowLength else { return .outrun }
    #if CARILLON_CANARIES
      if Canary.sings(.overtakenVanishes) { return .known }
    #endif
    return distance > 0 && missing & (1 << UInt64(distance - 1)) != 0 ? .fresh : .known
  }

  mutating func insert(_ number: Int) {
    if number > highest {
      // Producers count from 1: nothing below it is missing.
      let step = number - min(max(highest, 0), number)
      // Shifts beyond the width leave nothing, and 0 − 1 is all of them.
      missing = step > 0 ? missing << step | ((1 << (step - 1)) &- 1) : 0
      highest = number
    } else if case (let distance, false) = highest.subtractingReportingOverflow(number),
      (1...Self.windowLength).contains(distance)
    {
      missing &= ~(1 << UInt64(distance - 1))
    }
  }
}

/// What a queue knows of a push before it comes.
public enum PushStanding: Sendable, Equatable {
  /// It has not come.
  case fresh
  /// It was taken over before.
  case known
  /// Its number is so far below its producer's highest that nobody can tell: it is taken for one that came.
  case outrun
}
