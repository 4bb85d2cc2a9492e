import SwiftProtobuf

/// One device's connection from its first stanza to its end: login, numbering, acknowledgements, heartbeats.
///
/// ```
///   opened ──LoginRequest──> loggingIn ──accepted──> open ──Close, silence, violation──> closed
///      └──time──> closed         └──refused──> closed
/// ```
///
/// Both sides count the stanzas that they send; the login and its answer are number 1. Any stanza may say up to which
/// number its sender has taken what it got. The server must not say so of a message for an app server that the engine
/// has not taken yet, nor of a stanza whose acknowledgement is not durable: its client forgets what it has been told is
/// taken. So these are given to the engine one after the other, and the number stays behind the first that is not done.
///
/// A value without I/O: it is told what happened and says what to do, in order. Spec: GCM D8.
public struct MCSSession: Sendable {
  enum Phase: Equatable { case opened, loggingIn, open, closed }

  struct Sent: Sendable, Equatable {
    let number: Int
    let persistentID: String
  }

  /// Something that a stanza of the client asks of the engine.
  struct Work: Sendable {
    enum Kind {
      case acknowledge([String])
      case send(MCSDataMessageStanza)
    }

    let number: Int
    let kind: Kind
  }

  private let shared: SharedMCSLimits
  var limits: MCSLimits { shared.limits }
  var phase = Phase.opened
  var login = MCSLoginRequest()

  /// Stanzas of the client so far.
  var receivedCount = 0
  /// Ours so far.
  var sentCount = 0
  /// Written with a persistent id and not acknowledged yet, in order.
  var unacknowledged: [Sent] = []
  /// What the engine has not done yet; it works on the first `worksInHand`.
  var works: [Work] = []
  var worksInHand = 0
  /// Messages taken since the client was last told of any.
  var untoldCount = 0
  /// What the client said before its login was answered.
  var early: [MCSStanza] = []
  /// Ids acknowledged since the last heartbeat: the engine may be about to hand one of these out again.
  var settled: [String] = []
  var isIdle = false
  var heartbeat: MCSHeartbeat

  public init(limits: MCSLimits = MCSLimits()) { self.init(sharing: SharedMCSLimits(limits)) }

  /// As the other, for one of many.
  public init(sharing shared: SharedMCSLimits) {
    self.shared = shared
    heartbeat = MCSHeartbeat(sharing: shared)
  }

  /// False while nothing more is to be read from the client: it has sent more than the engine has taken.
  public var takesInput: Bool {
    switch phase {
    case .opened: true
    case .loggingIn: early.count < limits.earlyStanzasMaximum
    case .open: works.count < limits.worksMaximum
    case .closed: false
    }
  }

  /// To be called once, when the connection has been made.
  public func opened() -> [MCSAction] { [.setDeadline(limits.loginTimeout)] }

  /// Takes what happened; returns what to do, in order. Nothing follows a `.close`.
  public mutating func received(_ input: MCSInput) -> [MCSAction] {
    guard phase != .closed else { return [] }
    var actions: [MCSAction] = []
    switch input {
    case .stanza(let stanza): received(stanza, &actions)
    case .violation(let violation): violated(violation, &actions)
    case .loginAnswered(let answer): loginAnswered(answer, &actions)
    case .deliver(let message): deliver(message, &actions)
    case .acknowledged: acknowledged(&actions)
    case .upstreamAnswered(let answer): upstreamAnswered(answer, &actions)
    case .deadlinePassed: deadlinePassed(&actions)
    case .closing(let reason): close(reason, saysSo: phase == .open && reason != .lost, &actions)
    }
    return actions
  }

  private mutating func deadlinePassed(_ actions: inout [MCSAction]) {
    guard phase == .open else { return close(.loginTimeout, saysSo: false, &actions) }
    settled = []
    switch heartbeat.deadlinePassed() {
    case .wait(let duration): actions.append(.setDeadline(duration))
    case .ping(let duration):
      write(.heartbeatPing(MCSHeartbeatPing()), &actions)
      actions.append(.setDeadline(duration))
    case .giveUp: close(.silent, saysSo: true, &actions)
    }
  }

  // MARK: Ends

  mutating func violated(_ violation: MCSViolation, _ actions: inout [MCSAction]) {
    if violation != .unknownVersion {  // who does not speak the protocol would not understand
      write(.streamError(.with { $0.type = violation.rawValue }), &actions)
    }
    close(.violation(violation), saysSo: false, &actions)
  }

  /// - Parameter saysSo: by a `Close`: the client connects again later. Spec: GCM D8.9.
  mutating func close(_ reason: MCSClosing, saysSo: Bool, _ actions: inout [MCSAction]) {
    // What the client has acknowledged is worth knowing; the messages that it still wanted to send come again.
    let ids = works.dropFirst(worksInHand).flatMap(\.acknowledgedIDs)
    if !ids.isEmpty { actions.append(.acknowledge(ids)) }
    if saysSo { write(.close(MCSClose()), &actions) }
    actions.append(.close(reason))
    phase = .closed
    (unacknowledged, works, early, settled) = ([], [], [], [])
  }
}
