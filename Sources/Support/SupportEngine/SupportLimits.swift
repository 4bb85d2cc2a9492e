import EngineKit
import OptionKit
import SupportDomain

/// The bounds of support that operators set. Spec: support requests 10.
struct SupportLimits: Sendable, Equatable {
  /// Live devices of one user.
  var devicesByUser = SupportUserLimits().devicesMaximum
  var identifierBytes = 4_096
  var bulkUnregister = 1_000
  /// Devices in one call of a webhook.
  var devicesByCall = 500
  var refreshGrace: Duration = .seconds(2)
  var request = SupportRequestLimits()

  var user: SupportUserLimits {
    var limits = SupportUserLimits()
    limits.devicesMaximum = devicesByUser
    return limits
  }
}

extension SupportLimits: OptionSettings {
  package static let section = SectionKind.support
  package static let effect = OptionSpecification.Effect.reload

  package static let fields: [OptionField<Self>] = [
    OptionField(
      "devices_per_user", \.devicesByUser, .integer(1...1_000),
      "live devices of one user; one more ends the longest silent"),
    OptionField("identifier_max_bytes", \.identifierBytes, .byteCount(64...4_096), "a device's token or channel"),
    OptionField(
      "bulk_unregister_max", \.bulkUnregister, .integer(1...10_000), "tokens that one call may unregister"),
    OptionField(
      "webhook_devices_per_call", \.devicesByCall, .integer(1...500),
      "devices in one call of a webhook; more make more calls"),
    OptionField(
      "refresh_grace", \.refreshGrace, .seconds(0...60),
      "so long an app that follows a request may say that it has shown a comment, and is not pushed; 0: not at all"),
    OptionField("comment_max_bytes", \.request.commentBytesMaximum, .byteCount(1...262_144), "text of one comment"),
  ]

  init(_ options: Options) { self.init(options.support) }
}
