package import OptionKit

/// Spec: providers 6.
package struct WebPushOptions: OptionTable {
  package static let keys = WebPushOptions()

  package let privateKeyFile = OptionKey(push: "webpush.private_key_file", .path, "VAPID key, PEM", .debugForm)
  package let privateKey = OptionKey(
    push: "webpush.private_key", .nonEmptyText, "VAPID key as base64url or PEM text", [.secret, .debugForm])
  package let subject = OptionKey(
    push: "webpush.subject", .nonEmptyText, "mailto: or https: address of the operator", .debugForm)
  package let trustRootsFile = OptionKey(
    push: "webpush.ca_file", .path, "trust roots instead of the system's, PEM", .debugForm)

  package init() {}
}
