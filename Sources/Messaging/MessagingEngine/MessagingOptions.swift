package import OptionKit

/// What both ports of messaging share, devices' and app servers'.
package struct MessagingOptions: OptionTable {
  package static let keys = MessagingOptions()

  package let certificate = OptionKey(
    "gcm.tls.certificate", in: [.server], .path, "certificate chain of both, PEM; tls.certificate if absent",
    takes: .restart)
  package let certificateKey = OptionKey(
    "gcm.tls.key", in: [.server], .path, "private key of that certificate, PEM; tls.key if absent", takes: .restart)

  package init() {}
}

extension MessagingSettings: OptionSettings {
  package static let fields: [OptionField<Self>] = [
    OptionField(
      "gcm.rate_per_minute", \.perMinuteMaximum, .integer(1...1_000_000),
      "messages of a sender to one registration; no bound if absent"),
    OptionField(
      "gcm.rate_per_hour", \.perHourMaximum, .integer(1...1_000_000),
      "messages of a sender to one registration; no bound if absent"),
    OptionField(
      "gcm.topic_rate_per_minute", \.perTopicMinuteMaximum, .integer(1...1_000_000),
      "messages to one topic; no bound if absent"),
    OptionField(
      "gcm.collapse_burst", \.collapseBurst, .integer(1...1_000_000),
      "collapsible messages of a sender to one registration before it is slowed"),
    OptionField(
      "gcm.collapse_refill", \.collapseRefillSeconds, .integer(1...86_400),
      "seconds until a slowed registration may have one more"),
  ]
}
