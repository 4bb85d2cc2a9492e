package import OptionKit

/// What browsers may do at the Comet endpoint: how many of their polls are held, and which way pages may poll.
public struct BrowserSettings: Sendable, Equatable {
  /// Polls of one browser that are held at a time; negative: any number. Spec: Bayeux reference, 15.
  public var sessionsPerBrowserMaximum = 1
  /// Pages may poll by loading scripts.
  public var takesCallbackPolling = true

  public init() {}
}

extension BrowserSettings: OptionSettings {
  package static let fields: [OptionField<Self>] = [
    OptionField(
      "cometd.maxSessionsPerBrowser", \.sessionsPerBrowserMaximum, .integer(-1...1_000),
      "sessions of one browser (cookie BAYEUX_BROWSER) that hold a poll at a time; -1: all of them"),
    OptionField(
      "cometd.callback_polling", \.takesCallbackPolling, .flag,
      "pages of this server and of allowed_origins may poll by loading scripts (JSONP)"),
  ]
}
