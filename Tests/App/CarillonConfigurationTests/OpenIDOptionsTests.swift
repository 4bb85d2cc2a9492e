import ConsoleAPI
import HTTPEdge
import NetworkAddress
import OptionKit
import Testing

@testable import CarillonConfiguration

@Suite("Options of the console's OpenID provider")
struct OpenIDOptionsTests {
  private static let good = [
    "issuer": "https://id.test/realms/a", "client_id": "console",
    "redirect_url": "https://push.test/console/1/openid/callback", "role_claim": "groups", "roles": "a=agent,b=c=admin",
  ]

  private static func yaml(_ options: [String: String]) -> String {
    "server:\n" + options.sorted { $0.key < $1.key }.map { "  console.openid.\($0.key): '\($0.value)'\n" }.joined()
  }

  /// The good ones with a change; an empty value takes one away.
  private static func problems(_ changes: [String: String]) -> [String] {
    do throws(ConfigurationRefused) {
      _ = try ConfigurationLoader.load(yaml: yaml(good.merging(changes) { $1 }.filter { !$0.value.isEmpty }))
      return []
    } catch {
      return error.problems.map { "\($0.option ?? ""): \($0.reason)" }
    }
  }

  @Test("what is set arrives, with the built-in values beside it")
  func values() throws {
    let loaded = try ConfigurationLoader.load(yaml: Self.yaml(Self.good))
    #expect(loaded.warnings.isEmpty)
    let settings = try #require(OpenIDSettings(loaded))
    #expect(settings.issuer == "https://id.test/realms/a" && settings.clientID == "console")
    #expect(settings.roles == ["a=agent", "b=c=admin"].compactMap { OpenIDSettings.RoleRule($0) })
    #expect(settings.roles.map(\.value) == ["a", "b=c"] && settings.roles.map(\.role) == [.agent, .admin])
    #expect(settings.scopes == ["openid", "profile"] && settings.nameClaim == "preferred_username")
    #expect(settings.title == "OpenID" && settings.servicesClaim == nil && settings.clientSecretFile == nil)
    #expect(OpenIDSettings(try ConfigurationLoader.load(yaml: "")) == nil)
  }

  @Test(
    "what could sign nobody in, or whom anybody could play, is refused",
    arguments: [
      (["client_id": ""], "console.openid.issuer: needs option console.openid.client_id beside it"),
      (["redirect_url": ""], "console.openid.issuer: needs option console.openid.redirect_url beside it"),
      (["role_claim": ""], "console.openid.issuer: needs option console.openid.role_claim beside it"),
      (["roles": ""], "console.openid.issuer: needs option console.openid.roles beside it"),
      (["issuer": "http://id.test"], "console.openid.issuer: must be an https URL"),
      (["issuer": "https://id.test?a=b"], "console.openid.issuer: must be an https URL"),
      (["issuer": "https://a:b@id.test"], "console.openid.issuer: must be an https URL"),
      (["redirect_url": "http://push.test/console/1/openid/callback"], "console.openid.redirect_url: must be this"),
      (["redirect_url": "https://push.test/"], "console.openid.redirect_url: must be this server's https URL"),
      (["redirect_url": "https://push.test/x/console/1/openid/callback"], "console.openid.redirect_url: must be this"),
      (["redirect_url": "https://push.test/console/1/openid/callback?a=b"], "console.openid.redirect_url: must be"),
      (["roles": "a=agent,b"], "console.openid.roles: “b” is no value=role; roles are agent, supervisor, admin"),
      (["roles": "a=bot"], "console.openid.roles: “a=bot” is no value=role"),
      (["roles": "=agent"], "console.openid.roles: “=agent” is no value=role"),
      (["scopes": "profile, email"], "console.openid.scopes: must have openid among them"),
    ])
  func refused(changes: [String: String], problem: String) {
    let problems = Self.problems(changes)
    #expect(problems.count == 1 && problems[0].hasPrefix(problem), "\(problems)")
  }

  @Test("on loopback plain HTTP will do")
  func loopback() {
    #expect(
      Self.problems([
        "issuer": "http://127.0.0.1:9000", "redirect_url": "http://localhost:8080/console/1/openid/callback",
      ]).isEmpty)
  }

  @Test("without an issuer the others mean nothing, which is said")
  func alone() throws {
    let loaded = try ConfigurationLoader.load(yaml: Self.yaml(["client_id": "console", "title": "Example"]))
    #expect(loaded.warnings.map(\.option) == ["console.openid.client_id", "console.openid.title"])
    #expect(OpenIDSettings(loaded) == nil)
  }

  @Test(
    "which URLs nobody on the way can answer",
    arguments: [
      ("https://id.test", true), ("HTTPS://ID.TEST/a?b#c", true), ("https://[2001:db8::1]:8443/", true),
      ("http://localhost:1/", true), ("http://127.3.2.1", true), ("http://[::1]:8080/x", true),
      ("http://id.test", false), ("http://127.example.com", false), ("http://localhost.test", false),
      ("http://localhost@evil.test", false), ("https://id.test@evil.test", false), ("https://", false),
      ("https:///a", false), ("ftp://id.test", false), ("javascript:alert(1)", false), ("", false),
      ("https://id.test/\r\nA: b", false), ("https://id.test/ä", false), ("http://localhost\\@evil.test", false),
    ])
  func secure(url: String, isSecure: Bool) { #expect(SecureURL.isSecure(url) == isSecure) }
}
