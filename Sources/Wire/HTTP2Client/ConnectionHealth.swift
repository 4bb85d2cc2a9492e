internal import NIOCore

/// Finds out whether a silent connection is dead. Spec: providers 2.1, health.
///
/// ```
/// listening --silent too long--> asked (a PING is out) --anything read--> listening
///                                asked --nothing in time--> dead
/// ```
struct ConnectionHealth {
  enum Finding: Equatable { case fine, mustPing, isDead }

  private let silentFor: TimeAmount
  private let idleEvery: TimeAmount
  private let answerWithin: TimeAmount
  private(set) var lastRead: NIODeadline
  private var asked: NIODeadline?

  init(silentFor: TimeAmount, idleEvery: TimeAmount, answerWithin: TimeAmount, now: NIODeadline) {
    self.silentFor = silentFor
    self.idleEvery = idleEvery
    self.answerWithin = answerWithin
    lastRead = now
  }

  /// Any bytes are a sign of life, not only the answer to the PING.
  mutating func read(at now: NIODeadline) {
    lastRead = now
    asked = nil
  }

  /// After `mustPing` the caller sends one PING.
  mutating func check(at now: NIODeadline, hasStreams: Bool) -> Finding {
    if let asked { return now - asked >= answerWithin ? .isDead : .fine }
    guard now - lastRead >= (hasStreams ? silentFor : idleEvery) else { return .fine }
    asked = now
    return .mustPing
  }
}
