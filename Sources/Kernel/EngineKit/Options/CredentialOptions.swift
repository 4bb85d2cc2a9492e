package import OptionKit

/// Whom HTTP asks for a name and a password. Spec: GMS 2.5.
package struct CredentialOptions: OptionTable {
  package static let keys = CredentialOptions()

  package let username = OptionKey(
    "username", in: [.server], .text, "Basic credential of all chat resources", takes: .reload)
  package let password = OptionKey(
    "password", in: [.server], .text, "Basic credential of all chat resources", takes: .reload, .secret)
  private let usernameOfService = OptionKey(
    "username", in: [.service], .text, "Basic credential of this service, instead of the server's", takes: .reload)
  private let passwordOfService = OptionKey(
    "password", in: [.service], .text, "Basic credential of this service, instead of the server's", takes: .reload,
    .secret)

  package init() {}
}
