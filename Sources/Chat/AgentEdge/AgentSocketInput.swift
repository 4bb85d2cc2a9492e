import HTTPKit

/// What happens to an agent's socket.
enum AgentSocketInput: Equatable {
  /// - Parameter isKnown: the upgrade has shown a good token.
  case opened(isKnown: Bool)
  case text([UInt8])
  /// The token of a login is good.
  case admitted(AgentSocketRequest)
  case refused(AgentSocketRequest, EdgeFailure)
  /// What was to be done is done, or was refused.
  case answered(id: String, Result<[UInt8], EdgeFailure>)
  /// Nothing more will come of what happens.
  case eventsEnded
  /// It was time to look.
  /// - Parameter isGood: the token still is, if there is one.
  case checked(isGood: Bool)
  case peerCloses
  /// The client's frames are wrong.
  case violated(AgentSocketClosing)
  case serverStops
  /// The connection is gone.
  case ended
}

/// What an agent's socket wants done.
enum AgentSocketAction: Equatable {
  case write([UInt8])
  case ping
  /// The token in this request is to be looked at.
  case logIn(AgentSocketRequest)
  /// From now on events are written.
  case follow
  case perform(AgentSocketRequest)
  /// Our close frame; the client's is waited for.
  case close(AgentSocketClosing)
  /// The same in answer to the client's: nothing more is waited for.
  case answerClose
  /// At once, without a word.
  case cut
}

/// Why an agent's socket ends. Spec: RFC 6455, 7.4.
enum AgentSocketClosing: UInt16 {
  case goingAway = 1001
  case protocolError = 1002
  case unacceptableData = 1003
  case invalidText = 1007
  /// No token, or none that is good any more.
  case policyViolation = 1008
  case messageTooLarge = 1009
}
