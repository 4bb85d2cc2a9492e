import HTTPKit

/// The bounds of support's surface.
extension EdgeLimits {
  // Counts.
  /// Requests or comments on one page; more that are asked for are not given. Spec: support requests 8.
  static let supportPageMaximum = 100
  /// Requests that are asked for by their ids.
  static let supportShownMaximum = 100
  /// Nested objects and arrays in a body.
  static let supportDepthMaximum = 16

  // Bytes.
  /// What the SDK knows an anonymous user by.
  static let supportGUIDBytesMaximum = 128
  /// The opaque token of an app's back end.
  static let supportUserTokenBytesMaximum = 8_192

  // Seconds.
  /// How long an operator lets a receiver take the URL of before, unless they say otherwise, and at most.
  static let webhookOverlap = (standard: 86_400, maximum: 2_592_000)
}
