/// Where a service instance stands.
public enum ChatLifecycle: String, Sendable, Codable, CaseIterable {
  /// Never created.
  case absent
  /// The instance exists, its chat has not been started.
  case created
  case live
  /// The chat is over; the instance lives on until its time to live has passed.
  case ended
  /// The instance is gone.
  case expired
}

/// The customer's link to a chat, as seen by the chat (`GRACE` belongs to the Comet session). Spec: GMS 6.1.
public enum ChatClientState: String, Sendable, Codable, CaseIterable {
  /// No subscribed Comet session yet; also every chat that polls.
  case none = "NONE"
  case online = "ONLINE"
  /// Flagged disconnected, no qualifying agent event since.
  case backgroundQuiet = "BG_QUIET"
  /// Flagged disconnected, the push delay timer runs. It may outlive the chat: the agent's leaving is pushed too (B17).
  case backgroundWait = "BG_WAIT"
  /// Flagged disconnected, the first push of this phase has been sent.
  case backgroundPushed = "BG_PUSHED"
  case ended = "ENDED"
}

/// Why a chat ended.
public enum ChatEndCause: String, Sendable, Codable, CaseIterable {
  /// The party whose leaving it is wanted it so.
  case party
  /// The instance's time to live had passed; the customer is taken out by the system.
  case timeToLive
}
