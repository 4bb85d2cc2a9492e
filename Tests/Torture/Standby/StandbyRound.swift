import TestSupport

/// What is done to a primary, its standby and the line between them, once.
struct StandbyRound: Sendable, Equatable {
  enum Blow: String, Sendable, CaseIterable {
    /// kill -9 of the primary; its standby takes over.
    case primary
    /// kill -9 of both at once; what the standby has takes over.
    case both
    /// The standby takes over while the primary serves on, until it is told.
    case relieved
    /// kill -9 of the standby, which goes on.
    case standby
    /// Nothing but what is done to the line.
    case line

    var endsWithTakeover: Bool { [.primary, .both, .relieved].contains(self) }
  }

  var blow: Blow
  /// What the line is when it comes.
  var fault: StandbyLine.Condition
  /// Writing before the line is touched.
  var loadMilliseconds: Int
  /// From there to the blow.
  var faultMilliseconds: Int
  /// From the blow to what an operator does about it.
  var pauseMilliseconds: Int
  /// The standby is stopped before it takes over, not killed.
  var stopsStandby: Bool
  /// The former primary asks the new one's server, and does not read its directory.
  var rejoinsFromServer: Bool

  static let deckCount = 5

  /// Rounds with each kind of blow, in any order; of those that come seldom every other deck has the one or the other.
  static func deck(_ number: Int, isLong: Bool, using generator: inout SeededGenerator) -> [StandbyRound] {
    let blows: [Blow] = [.primary, .primary, number % 2 == 0 ? .relieved : .both, .standby, .line]
    let faults: [StandbyLine.Condition] = [
      .whole, broken(&generator), any(&generator), any(&generator), broken(&generator),
    ]
    return zip(blows, faults).map { blow, fault in
      StandbyRound(
        blow: blow, fault: fault, loadMilliseconds: .random(in: 200...800, using: &generator),
        faultMilliseconds: duration(of: fault, isLong: isLong, using: &generator),
        pauseMilliseconds: .random(in: 0...300, using: &generator), stopsStandby: .random(using: &generator),
        rejoinsFromServer: .random(using: &generator))
    }.shuffled(using: &generator)
  }

  private static func any(_ generator: inout SeededGenerator) -> StandbyLine.Condition {
    let all = StandbyLine.Condition.allCases
    return all[Int.random(in: all.indices, using: &generator)]
  }

  private static func broken(_ generator: inout SeededGenerator) -> StandbyLine.Condition {
    let all = StandbyLine.Condition.allCases.filter { $0 != .whole }
    return all[Int.random(in: all.indices, using: &generator)]
  }

  private static func duration(
    of fault: StandbyLine.Condition, isLong: Bool, using generator: inout SeededGenerator
  ) -> Int {
    // Longer than the standby bears silence.
    if isLong, fault == .frozen, Int.random(in: 0..<8, using: &generator) == 0 { return 17_000 }
    return .random(in: fault == .whole ? 0...200 : 50...1_500, using: &generator)
  }
}

extension StandbyRound: CustomStringConvertible {
  var description: String {
    let takeover =
      blow.endsWithTakeover
      ? ", standby \(stopsStandby ? "stopped" : "killed"), rejoined from a \(rejoinsFromServer ? "server" : "directory")"
      : ""
    return "\(blow.rawValue) with the line \(fault.rawValue) for \(faultMilliseconds) ms\(takeover)"
  }
}
