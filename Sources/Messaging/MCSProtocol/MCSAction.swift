/// What happens to a connection.
public enum MCSInput: Sendable, Equatable {
  case stanza(MCSStanza)
  /// The bytes are no stanzas.
  case violation(MCSViolation)
  /// The end of a `.logIn`.
  case loginAnswered(MCSLoginAnswer)
  /// A message for the device; `last_stream_id_received` is filled in.
  case deliver(MCSDataMessageStanza)
  /// The end of an `.acknowledge`: it is durable.
  case acknowledged
  /// The end of a `.send`.
  case upstreamAnswered(MCSUpstreamAnswer)
  case deadlinePassed
  /// Somebody else wants the connection to end.
  case closing(MCSClosing)
}

/// What is to be done.
public enum MCSAction: Sendable, Equatable {
  case write(MCSStanza)
  /// Ask the engine; it answers with `.loginAnswered`.
  case logIn(MCSCredentials, received: [String])
  /// The client knows that it is logged in: it may have what is stored.
  case drain
  /// The client has these messages; answered with `.acknowledged`.
  case acknowledge([String])
  case setIdle(Bool)
  /// Hand this to the engine; it answers with `.upstreamAnswered`. Never while it works on another or an `.acknowledge`.
  case send(MCSDataMessageStanza)
  /// Say `.deadlinePassed` after this long; replaces the earlier deadline.
  case setDeadline(Duration)
  /// End the connection once everything has been written. The last action.
  case close(MCSClosing)
}

/// What a device proves itself by. Spec: GCM D7.
public struct MCSCredentials: Sendable, Equatable {
  public let user: UInt64
  public let token: UInt64
}

public enum MCSLoginAnswer: Sendable, Equatable {
  /// At this time, in milliseconds since 1970.
  case accepted(Int64)
  case refused
  /// Not now.
  case unavailable
}

public enum MCSUpstreamAnswer: Sendable, Equatable {
  case accepted
  /// It never will be.
  case refused(reason: String)
  /// Not now.
  case unavailable
}

/// Why a connection ends.
public enum MCSClosing: Sendable, Equatable {
  case client
  case loginTimeout
  case loginRefused
  case violation(MCSViolation)
  /// No answer to the server's pings.
  case silent
  /// The engine cannot serve it now.
  case unavailable
  /// The same device has logged in again.
  case replaced
  /// The server stops.
  case draining
  /// The identity is gone.
  case revoked
  /// The client reads slower than its messages come.
  case slow
  /// Nobody has said goodbye.
  case lost
}

extension MCSClosing {
  /// For metrics, and for clients that are told a reason.
  public var name: String {
    switch self {
    case .client: "client"
    case .loginTimeout: "login-timeout"
    case .loginRefused: "login-refused"
    case .violation(let violation): violation.rawValue
    case .silent: "silent"
    case .unavailable: "unavailable"
    case .replaced: "replaced"
    case .draining: "draining"
    case .revoked: "revoked"
    case .slow: "slow"
    case .lost: "lost"
    }
  }
}
