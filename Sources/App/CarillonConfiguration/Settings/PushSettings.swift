import OptionKit
public import PushProviders

/// What the couriers are told at start; everything else they look up with each push.
public struct PushSettings: Sendable, Equatable {
  public let webhooks: WebhookSettings
  /// Where what providers hand out is kept across restarts.
  public let providerTokenDirectory: String

  public init(_ options: LoadedConfiguration) {
    webhooks = WebhookSettings(options)
    providerTokenDirectory = ServerSettings(options).dataDirectory + "/provider-tokens"
  }
}
