public import EventSourcing

/// What changes about an app while the server runs, beside its configuration: the URL that its notifications are posted
/// to, and which integration is in use. Spec: support requests 3.4, 5.2.
public struct SupportApp: Decider, Codable, Equatable {
  public typealias Command = SupportAppCommand
  public typealias Event = SupportAppEvent
  public typealias Rejection = Never
  public typealias Effect = SupportAppEffect

  /// Nil before the configuration has named one.
  public internal(set) var integration: SupportIntegration?
  /// Nil while the configuration's own URL holds.
  public internal(set) var webhook: Webhook?
  /// The one before, as long as both are to be accepted by the receiver.
  public internal(set) var previous: Previous?

  public struct Webhook: Sendable, Equatable, Codable {
    /// Without the random component, which a rotation replaces.
    public let base: String
    /// The random component; nil if there is none.
    public let secret: String?
    public let at: Timestamp
    /// Who set it: the name of a token.
    public let by: String

    /// Where notifications are posted.
    public var url: String { secret.map { (base.hasSuffix("/") ? base : base + "/") + $0 } ?? base }

    public init(base: String, secret: String?, at: Timestamp, by: String) {
      self.base = base
      self.secret = secret
      self.at = at
      self.by = by
    }
  }

  public struct Previous: Sendable, Equatable, Codable {
    public let url: String
    public let until: Timestamp

    public init(url: String, until: Timestamp) {
      self.url = url
      self.until = until
    }
  }

  public init() {}

  public var isFinished: Bool { false }
  public var rest: Rest { .asleep(until: nil) }
  public var outstandingEffects: [SupportAppEffect] { [] }
}

public enum SupportAppCommand: Sendable, Equatable {
  /// The configuration in force; nothing happens if it is known.
  case configured(SupportIntegration)
  /// - Parameters:
  ///   - base: an absolute URL.
  ///   - replacing: the URL in force before; nil for none.
  ///   - overlap: how long the URL before it is still to be accepted by the receiver.
  case setWebhook(base: String, secret: String?, by: String, replacing: String?, overlap: Duration)
  /// Back to the configuration's own URL.
  case clearWebhook(by: String)
  case restate
}

/// What happened to an app. Tags and field numbers are frozen.
public enum SupportAppEvent: Sendable, Equatable, Codable {
  /// Spec: `IntegrationChanged`.
  case integrationChanged(SupportIntegration)
  /// Spec: `WebhookUrlRotated`.
  case webhookSet(SupportApp.Webhook, previous: SupportApp.Previous?)
  case webhookCleared(by: String)
  case restated(state: [UInt8])

  public static func isRestatement(_ tag: EventTag) -> Bool { tag == 4 }
}

public enum SupportAppEffect: Sendable, Equatable {
  case changed
}
