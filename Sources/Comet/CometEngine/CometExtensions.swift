package import OptionKit

/// Whose silence ends a session: the activity extension. Spec: Bayeux reference, 16.
public enum ActivityWatch: String, Sendable, CaseIterable {
  case none
  /// The client's.
  case client
  /// Both sides': a session that gets events is not silent.
  case both
}

/// Extensions of the protocol that the operator switches on; what a client asks for itself is its own choice.
public struct CometExtensions: Sendable, Equatable {
  /// Each message of the server says when it was sent.
  public var addsTimestamp = false
  public var activityWatch = ActivityWatch.none
  /// A session in which nothing but connects happens for longer is ended at its next connect.
  public var inactivityMillisecondsMaximum = 3_600_000

  public init() {}
}

extension CometExtensions: OptionSettings {
  package static let fields: [OptionField<Self>] = [
    OptionField(
      "cometd.timestamp", \.addsTimestamp, .flag, "each message of the server has a timestamp (an extension of Bayeux)"),
    OptionField(
      "cometd.activity", \.activityWatch, .choice,
      "whose silence, but for connects, ends a session: nobody's, its client's, or that of both sides"),
    OptionField(
      "cometd.maxInactivity", \.inactivityMillisecondsMaximum, .integer(1_000...604_800_000),
      "milliseconds that this silence may last"),
  ]
}
