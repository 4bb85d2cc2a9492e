import ConsoleEngine
package import HTTPKit
package import OptionKit

/// The provider that may sign people in, and what its claims mean here: options `console.openid.…` of section `server`.
package struct OpenIDSettings: Sendable, Equatable {
  /// A value of the role claim, and what it makes somebody here.
  package struct RoleRule: Sendable, Equatable {
    package let value: String
    package let role: TokenRole

    /// Nil for what is no `value=role`. The value may hold `=` itself.
    package init?(_ member: String) {
      guard let equals = member.lastIndex(of: "="), equals > member.startIndex,
        let role = TokenRole(rawValue: String(member[member.index(after: equals)...])), Self.roles.contains(role)
      else { return nil }
      value = String(member[..<equals])
      self.role = role
    }

    /// What a provider may make of somebody.
    package static let roles: [TokenRole] = [.agent, .supervisor, .admin]
  }

  package let issuer: String
  package let clientID: String
  package let clientSecretFile: String?
  package let redirectURL: String
  package let scopes: [String]
  package let nameClaim: String
  package let roleClaim: String
  /// The first that fits counts.
  package let roles: [RoleRule]
  package let servicesClaim: String?
  package let title: String
  package let trustRootsFile: String?

  /// Nil if nobody is signed in so: the configuration has been checked, so that an issuer has the others beside it.
  package init?(_ options: some OptionReader) {
    let keys = OpenIDOptions.keys
    guard let issuer = options[keys.issuer], let clientID = options[keys.clientID],
      let redirectURL = options[keys.redirectURL], let roleClaim = options[keys.roleClaim]
    else { return nil }
    self.issuer = issuer
    self.clientID = clientID
    self.redirectURL = redirectURL
    self.roleClaim = roleClaim
    clientSecretFile = options[keys.clientSecretFile]
    scopes = options[keys.scopes]
    nameClaim = options[keys.nameClaim]
    roles = options[keys.roles].compactMap { RoleRule($0) }
    servicesClaim = options[keys.servicesClaim]
    title = options[keys.title]
    trustRootsFile = options[keys.trustRootsFile]
  }

  /// Where a browser begins: at the address that it is sent back to, since the cookie of the one has to reach the other.
  var startURL: String { redirectURL.dropLast(OpenIDPath.callback.count) + OpenIDPath.start }
}

/// What asking a provider may cost.
package struct OpenIDLimits: Sendable, Equatable {
  /// From a question to a provider to the end of its answer.
  package var timeout: Duration = .seconds(5)
  /// What a provider says of itself, and what it answers to a code.
  package var answerBytesMaximum = 65_536
  /// How long what a provider has said of itself, and its keys, are taken for true.
  package var documentLife: Duration = .seconds(300)
  /// Between two questions for its keys because of one that is not known: it may be anybody's invention.
  package var keysPause: Duration = .seconds(10)
  /// How long somebody may take at the provider.
  package var flowLife: Duration = .seconds(600)
  /// Sign-ins that have begun; with one more the oldest is forgotten.
  package var flowsMaximum = 10_000
  /// How far the provider's clock may be from ours.
  package var clockSkew: Duration = .seconds(60)
  package var secretBytesMaximum = 1_024

  package init() {}
}
