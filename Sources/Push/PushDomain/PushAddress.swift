/// Where pushes go: a kind of provider and the device's id there. Spec: GMS 3.4 and 10.1.
///
/// Its `description` leaves the device id out: whoever has a token can push to it.
public struct PushAddress: Sendable, Hashable, Codable {
  /// `push_notification_type`: `ios`, `gcm`, `android`, `fcm`, `httpcb`, `customhttp`, …
  public let type: String
  /// Device token, registration token, or (type `httpcb`) the target URL.
  public let deviceID: String
  /// Name of the credentials (`push.provider.<name>`); nil for the defaults.
  public let provider: String?
  /// Language tag for texts, such as `ru-RU`.
  public let language: String?
  /// True if the `debug.` options come first.
  public let debug: Bool
  /// Goes out as `Authorization: Basic <value>` (type `customhttp`). Spec: GMS 7.3.
  public let authorization: String?

  public init(
    type: String, deviceID: String, provider: String? = nil, language: String? = nil, debug: Bool = false,
    authorization: String? = nil
  ) {
    self.type = type
    self.deviceID = deviceID
    self.provider = provider
    self.language = language
    self.debug = debug
    self.authorization = authorization
  }
}

extension PushAddress: CustomStringConvertible {
  public var description: String { "\(type):…" }
}
