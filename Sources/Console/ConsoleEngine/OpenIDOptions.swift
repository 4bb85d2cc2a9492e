package import OptionKit

/// Signing in to the console by OpenID Connect: options of section `server`. Read anew for each sign-in.
package struct OpenIDOptions: OptionTable {
  package static let keys = OpenIDOptions()

  package let issuer = Self.key(
    "console.openid.issuer", .url,
    "the OpenID provider that may sign people in to the console, as it calls itself: https, or http on loopback")
  package let clientID = Self.key("console.openid.client_id", .nonEmptyText, "as what the provider knows this server")
  package let clientSecretFile = Self.key(
    "console.openid.client_secret_file", .path,
    "a file with the secret that the provider knows this server by; a public client if absent")
  package let redirectURL = Self.key(
    "console.openid.redirect_url", .url,
    "where the provider sends browsers back to, as it knows it: this server's own URL with /console/1/openid/callback")
  package let scopes = Self.key(
    "console.openid.scopes", .list, default: ["openid", "profile"], "what the provider is asked for")
  package let nameClaim = Self.key(
    "console.openid.name_claim", .nonEmptyText, default: "preferred_username",
    "the claim that is somebody's name here, an agent's id: unique at the provider, and nobody's own to change")
  package let roleClaim = Self.key(
    "console.openid.role_claim", .nonEmptyText,
    "the claim with what somebody is at the provider: a text or several; dots lead into objects")
  /// Members `value=role`.
  package let roles = Self.key(
    "console.openid.roles", .list, default: [],
    "value=role, for values of the role claim and the roles agent, supervisor, admin; the first that somebody has counts"
  )
  package let servicesClaim = Self.key(
    "console.openid.services_claim", .nonEmptyText,
    "the claim with the services that agents and supervisors have to do with, who need it then; all if absent")
  package let title = Self.key(
    "console.openid.title", .nonEmptyText, default: "OpenID", "what the provider is called where people sign in")
  package let trustRootsFile = Self.key(
    "console.openid.ca_file", .path, "roots that the provider is trusted by, PEM; the system's if absent")

  package init() {}

  private static func key<Value>(
    _ name: String, _ form: OptionForm<Value>, default builtIn: Value, _ summary: String
  ) -> OptionKey<Value> {
    OptionKey(name, in: [.server], form, default: builtIn, summary, takes: .reload)
  }

  private static func key<Value>(_ name: String, _ form: OptionForm<Value>, _ summary: String) -> OptionKey<Value?> {
    OptionKey(name, in: [.server], form, summary, takes: .reload)
  }
}

/// Where a provider sends browsers back to.
package enum OpenIDPath {
  package static let start = "/console/1/openid"
  package static let callback = "/console/1/openid/callback"
}
