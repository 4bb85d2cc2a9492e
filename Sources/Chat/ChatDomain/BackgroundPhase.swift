import EventSourcing

/// One phase in which the customer is flagged disconnected, from the flag to the return. Spec: GMS 6.1.
struct BackgroundPhase: Sendable, Equatable, Codable {
  enum Stage: Sendable, Equatable, Codable {
    /// No qualifying agent event since the flag.
    case quiet
    /// The push delay timer runs until `deadline`.
    case waiting(deadline: Timestamp)
    /// The first push has been asked for: from now on each event makes its own.
    case pushed
  }

  /// Counted from 1 within the chat; names the timer.
  let number: Int
  /// What P rests on.
  var basis: PositionBasis
  /// Whatever qualifies after this position has its push, or is remembered for one.
  var coveredAfter: Int
  var stage = Stage.quiet
  /// Positions of the qualifying events that the first push will carry, oldest first.
  var remembered: [Int] = []
  var pushCount = 0
  /// After a silent loss the agents are told with the first agent message. Spec: GMS 6.6.
  var owesAbsenceNotice: Bool

  var isWaiting: Bool { if case .waiting = stage { true } else { false } }

  init(number: Int, basis: PositionBasis, coveredAfter: Int, owesAbsenceNotice: Bool) {
    self.number = number
    self.basis = basis
    self.coveredAfter = coveredAfter
    self.owesAbsenceNotice = owesAbsenceNotice
  }
}

/// What the base position of a background phase rests on. Spec: GMS 6.1.
public enum PositionBasis: String, Sendable, Codable, CaseIterable {
  /// The app has named it.
  case stated
  /// A guess: the last event that the app is known to have.
  case confirmed
}

/// How a background phase begins.
public enum AbsenceCause: String, Sendable, Codable, CaseIterable {
  /// The app sent `/meta/disconnect`. Spec: GMS 6.2, B6.
  case disconnected
  /// The last session expired without a word. Spec: GMS 6.6.
  case lost
}
