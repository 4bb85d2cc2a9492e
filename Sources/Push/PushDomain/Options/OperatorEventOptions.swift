package import OptionKit

/// Where operators hear of what has become of pushes.
package struct OperatorEventOptions: OptionTable {
  package static let keys = OperatorEventOptions()

  package let url = OptionKey(
    "push.events_url", in: [.push], .url,
    "where the operator hears of endpoint.disabled, device.ended and message.exhausted; nowhere if absent",
    takes: .reload)
  package let secret = OptionKey(
    "push.events_secret", in: [.push], .nonEmptyText,
    "whsec_…: signs what is posted there (Standard Webhooks); webhooks.secret if absent", takes: .reload, .secret)

  package init() {}
}
