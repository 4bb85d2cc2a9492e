/// A text that an app shows its user. The raw value is its name in the operator's file.
///
/// Pushes of callbacks show the text of the dialog that they announce. Spec: GMS 9.3, 9.6.
public enum TextKey: String, Sendable, CaseIterable {
  case confirmationLabel = "callback.confirmation.label"
  case confirmationQuestion = "callback.confirmation.question"
  case confirmationYes = "callback.confirmation.yes"
  /// Before a call that begins with the tones of an access code.
  case confirmationTones = "callback.confirmation.tones"
  case confirmationLater = "callback.confirmation.later"
  /// The same for one minute: no placeholder, because a language may word it otherwise.
  case confirmationLaterByOne = "callback.confirmation.later-by-one"
  case confirmationCancel = "callback.confirmation.cancel"
  case startChat = "callback.start-chat.label"
  case connectInbound = "callback.connect-inbound.label"
  case connectOutbound = "callback.connect-outbound.text"
  case waitForAgent = "callback.wait-for-agent.text"
  case cancelled = "callback.cancelled.text"
  case ok = "callback.ok"
  /// What the push of a chat shows. Spec: GMS 7.2.
  case newMessage = "chat.new-message"

  /// What its text has to say in braces: `{minutes}`.
  var placeholders: Set<String> { self == .confirmationLater ? ["minutes"] : [] }
}
