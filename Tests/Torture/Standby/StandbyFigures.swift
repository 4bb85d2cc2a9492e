import Foundation

/// What the rounds of all cases have come to.
struct StandbyFigures: Sendable {
  var blows: [StandbyRound.Blow: Int] = [:]
  var faults: [StandbyLine.Condition: Int] = [:]
  var acknowledged = Count()
  var missing = Count()
  /// Answered with 503, or not at all.
  var refused = Count()
  /// As primaries have said it while they were written to.
  var recordsBehindMaximum = 0
  var secondsBehindMaximum = 0.0
  /// Records that only a former primary had.
  var recordsAsideMaximum: UInt64 = 0

  /// Apart by whether a standby was waited for.
  struct Count: Sendable {
    var waiting = 0
    var other = 0

    mutating func add(_ count: Int, waits: Bool) {
      if waits { waiting += count } else { other += count }
    }
  }

  mutating func add(_ round: StandbyRound) {
    blows[round.blow, default: 0] += 1
    faults[round.fault, default: 0] += 1
  }

  /// For whoever reads the table.
  var lines: [String] {
    let kinds = StandbyRound.Blow.allCases.map { "\($0.rawValue) \(blows[$0, default: 0])" }
    let conditions = StandbyLine.Condition.allCases.map { "\($0.rawValue) \(faults[$0, default: 0])" }
    return [
      "blows: \(kinds.joined(separator: ", ")); line: \(conditions.joined(separator: ", "))",
      "without waiting: \(acknowledged.other) acknowledged, \(missing.other) of them missing after a take-over; at most "
        + "\(recordsAsideMaximum) records were only at the former primary",
      "waiting: \(acknowledged.waiting) acknowledged, \(missing.waiting) of them missing",
      "no answer or 503: \(refused.other) without waiting, \(refused.waiting) waiting; lag that was told: at most "
        + "\(recordsBehindMaximum) records, \(String(format: "%.1f", secondsBehindMaximum)) s",
    ]
  }
}
