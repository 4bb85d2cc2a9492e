package import Bayeux
package import OptionKit

/// What operators say about Comet sessions beside `SessionSettings`.
package struct CometOptions: OptionTable {
  package static let keys = CometOptions()

  package let isCookieRequired = OptionKey(
    "cookie_required", in: [.server], .flag, default: false, "a Comet session is bound to the cookie BAYEUX_BROWSER",
    takes: .restart)

  package init() {}
}

extension SessionSettings: OptionSettings {
  package static let fields: [OptionField<Self>] = [
    OptionField(
      "cometd.timeout", \.timeoutMilliseconds, .integer(1_000...3_600_000),
      "milliseconds: advised for a connect (held 5 s less)"),
    OptionField(
      "cometd.maxInterval", \.maxIntervalMilliseconds, .integer(100...86_400_000),
      "milliseconds a session outlives its last connect"),
    OptionField(
      "cometd.multiSessionInterval", \.multiSessionIntervalMilliseconds, .integer(0...60_000),
      "milliseconds between polls of a browser's sessions beyond cometd.maxSessionsPerBrowser; 0: they are refused"
    ),
    OptionField(
      "limits.session_queue_messages", \.queueMessagesMaximum, .integer(1...1_000_000),
      "messages that wait for one session"),
    OptionField(
      "limits.session_queue_bytes", \.queueBytesMaximum, .byteCount(1_024...1_073_741_824),
      "bytes that wait for one session"),
  ]

  /// As operators say it. A connect is held 5 s less than advised, because clients take the advice for their socket
  /// time-out; of a short one, half. Spec: GMS 4.3.
  package init(ofServer options: some OptionReader) {
    self.init(options)
    holdMilliseconds = max(timeoutMilliseconds - 5_000, timeoutMilliseconds / 2)
  }
}
