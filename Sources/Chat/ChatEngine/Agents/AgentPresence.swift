/// Whether somebody looks at what an agent is told.
public enum AgentPresence: String, Sendable, CaseIterable {
  /// A stream or socket of theirs is open, or was a moment ago.
  case online
  case away

  /// How long they count as online behind their last stream: pages are loaded anew, and networks change.
  public static let graceSeconds = 30
}
