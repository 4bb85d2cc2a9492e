package import OptionKit

/// What the sections of support say to the courier of its webhooks, with each push: no section of pushes has these names.
package struct SupportPushOptions {
  package static let keys = SupportPushOptions()
  /// What `webhook_timeout` of section `support` may be.
  package static let timeout = OptionForm<Duration>.wholeSeconds(1...60)

  package let timeout = OptionKey(
    "support.webhook_timeout", in: [], Self.timeout, default: .seconds(10),
    "time a webhook has to begin its answer", takes: .reload)
  package let isTest = OptionKey(
    "support.test", in: [], .flag, default: false, "plain http will do", takes: .reload)
  package let zendeskSecret = OptionKey(
    "support.zendesk_signature_secret", in: [], .nonEmptyText, "signs as Zendesk signs", takes: .reload, .secret)
}
