/// What keeps the sample customers of `carillon demo --serve` from flooding their server, and what they pace themselves
/// by. Seconds, where nothing else is said.
enum CastLimits {
  /// The same customers do the same on every day, as far as nobody answers them.
  static let seed: UInt64 = 20_260_301
  /// Chats of theirs that are open at a time.
  static let chatsMaximum = 8
  /// Callbacks that they wait for at a time.
  static let callbacksMaximum = 2
  /// Support requests of theirs, while the demo runs.
  static let requestsMaximum = 6

  /// How often each looks whether something is due.
  static let tick = Duration.milliseconds(500)
  /// How often one with a support request looks for an answer.
  static let requestPoll = 8
  /// The first few come at once: nobody should look at an empty inbox.
  static let firstCome = 1...3
  static let othersCome = 6...60
  static let betweenErrands = 20...60
  static let afterFailure = 8...15
  static let answer = 3...8
  /// Nobody has answered: another line, or a look at something else.
  static let nudge = 25...50
  static let nudgesMaximum = 2
  static let leaveAfterAnswer = 2...5
  static let leaveUnanswered = 20...40
  static let stayAway = 45...90
  static let comeBackAfterPush = 5...12
  static let farewell = 4...8
  /// One who was never answered leaves.
  static let patience = 480
  static let chatLifetime = 1_500
  static let callbackPatience = 480
  /// What one says in a chat before they thank and go.
  static let answersInChat = 4...7
  static let answersInRequest = 2

  /// The colleague serves so many at a time, and looks this often.
  static let colleagueChatsMaximum = 2
  static let colleagueTick = Duration.seconds(3)
  static let colleagueThinks = 2...4

  /// Whether the receiver takes a push of a shaky device: one out of so many attempts.
  static let shakyPasses = 3
  /// How many pushes the receiver remembers.
  static let pushesKept = 100
  /// How long a customer's goodbye may take when the demo ends.
  static let goodbye = Duration.seconds(3)
}
