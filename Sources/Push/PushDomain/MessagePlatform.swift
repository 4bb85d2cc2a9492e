/// Kinds of devices that one message can say different things to. Spec: GCM E3.
public enum MessagePlatform: String, Sendable, Codable, CaseIterable {
  /// Whatever keeps a connection to us and is no browser's page.
  case android
  /// Reached through APNs.
  case apple
  /// A browser's page.
  case web
}
