/// Why a chat refuses a command. Each case is something that a client can be told.
public enum ChatRejection: Error, Equatable, Sendable {
  /// No such instance (never created, or expired): 404.
  case unknownService
  /// The instance has a live chat already: 409.
  case alreadyStarted
  /// The chat has not been started: 400.
  case notStarted
  /// The chat is over: 400.
  case ended
  /// The agent has not joined this chat: 403.
  case notJoined
  /// The agent is in this chat already: 409.
  case alreadyJoined
  /// The other agent is in this chat already: 409.
  case alreadyThere
  /// Another agent has the chat: 409.
  case taken
  /// Another agent is offered the chat: 409.
  case offered
  /// The chat is not offered to the agent: 409.
  case notOffered
  /// A required text is empty: 400 with the field's name.
  case empty(field: String)
  /// A field is longer than its limit: 400 (413 for texts).
  case tooLong(field: String, limit: Int)
  /// One of the limits of `ChatLimits` is reached: 503.
  case limitReached(String)
  /// A value that the field does not take: 400.
  case invalid(field: String, reason: String)
}
