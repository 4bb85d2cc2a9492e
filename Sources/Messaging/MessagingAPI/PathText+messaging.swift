import GCMProtocol
import HTTPKit
import Hummingbird
import MessagingEngine

extension PathText {
  /// The name of a topic; nil if it is none. Some clients put names into the path as they are, and `%` is a letter of
  /// them like any other.
  static func topic(_ text: some StringProtocol) -> String? {
    if let name = decode(text), TopicName.isValid(name) { return name }
    return TopicName.isValid(text) ? String(text) : nil
  }

  /// The registration token that a path names as `:token`; nil if that cannot be one.
  static func token(_ context: EdgeRequestContext) -> String? {
    guard let token = context.parameters.get("token").flatMap({ decode($0) }) else { return nil }
    return RegistrationTokenForm.isPlausible(token) ? token : nil
  }
}

/// What a registration token looks like, whoever made it. Spec: GCM D3.8.
enum RegistrationTokenForm {
  /// Whether it may be one: what is not could not even be looked for.
  static func isPlausible(_ text: String) -> Bool {
    (1...DownstreamLimits.recipientBytesMaximum).contains(text.utf8.count)
      && text.utf8.allSatisfy { byte in
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
          UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: ":"):
          true
        default: false
        }
      }
  }
}
