package import OptionKit

/// What holds for everything that is posted, whoever has it posted. Spec: providers 4.
package struct WebhookOptions: OptionTable {
  package static let keys = WebhookOptions()

  package let secret = OptionKey(
    push: "webhooks.secret", .nonEmptyText, "whsec_…: signs what is posted (Standard Webhooks)", [.secret, .debugForm])
  package let previousSecret = OptionKey(
    push: "webhooks.previous_secret", .nonEmptyText, "signs too, while receivers change over", [.secret, .debugForm])
  package let previousSecretUntil = OptionKey(
    push: "webhooks.previous_secret_until", .nonEmptyText, "ISO time from which on it does not")
  package let signingKey = OptionKey(
    push: "webhooks.signing_key", .nonEmptyText, "whsk_…: Ed25519 key, signs too", [.secret, .debugForm])
  package let success = OptionKey(
    push: "webhooks.success", .choice, default: WebhookSuccess.ok, "the answers that count as delivered")
  package let privateNetworks = OptionKey(
    push: "webhooks.allow_private", .list,
    "networks such as 10.0.0.0/8 that URLs given by apps may point into although they are private")
  package let ports = OptionKey(
    push: "webhooks.ports", .list, default: ["80", "443", "8080", "8443"], "ports that URLs given by apps may have")
  package let trustRootsFile = OptionKey(push: "webhooks.ca_file", .path, "further trust roots, PEM")

  package init() {}
}

/// Which statuses of a receiver count as delivered. Spec: providers 4.2.
public enum WebhookSuccess: String, Sendable, CaseIterable {
  /// 200 and no other. Spec: GMS 7.3.
  case ok = "200"
  case anySuccess = "2xx"
}
