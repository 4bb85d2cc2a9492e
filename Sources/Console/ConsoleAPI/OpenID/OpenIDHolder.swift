import ConsoleEngine
import HTTPKit
import JSONEnvelope
import TextEncoding

/// What a provider's claims make of somebody here.
struct OpenIDHolder: Sendable, Equatable {
  /// No token's id: it has no such mark.
  let id: String
  let name: String
  let role: TokenRole
  let person: ConsolePerson

  /// - Parameter claims: that hold.
  init(_ claims: JSONObject, _ settings: OpenIDSettings) throws(OpenIDRefusal) {
    let subject = claims["sub"]?.string ?? ""
    let role = try Self.role(claims, settings)
    id = "openid:" + Hexadecimal.encode(SHA256Bytes.of("\(settings.issuer)\n\(subject)").prefix(16))
    name = try Self.name(claims, settings)
    self.role = role
    person = ConsolePerson(
      issuer: settings.issuer, subject: subject, services: try Self.services(claims, role, settings))
  }

  private static func name(_ claims: JSONObject, _ settings: OpenIDSettings) throws(OpenIDRefusal) -> String {
    guard let name = claims[settings.nameClaim]?.string, TokenStore.isName(name) else {
      throw OpenIDRefusal(.name, "console.openid.name_claim: it is missing, or has not 1 to 64 bytes")
    }
    return name
  }

  private static func role(_ claims: JSONObject, _ settings: OpenIDSettings) throws(OpenIDRefusal) -> TokenRole {
    guard let claim = claim(settings.roleClaim, of: claims), let values = texts(of: claim) else {
      throw OpenIDRefusal(.role, "console.openid.role_claim: it is missing, or neither a text nor a list of texts")
    }
    guard let rule = settings.roles.first(where: { values.contains($0.value) }) else {
      throw OpenIDRefusal(.role, "console.openid.roles: none of them is in the claim")
    }
    return rule.role
  }

  /// What cannot be read must not mean all of them.
  private static func services(
    _ claims: JSONObject, _ role: TokenRole, _ settings: OpenIDSettings
  ) throws(OpenIDRefusal) -> [String]? {
    guard let name = settings.servicesClaim, role.takesPartInChats else { return nil }
    guard let claim = claim(name, of: claims), let names = texts(of: claim), !names.isEmpty else {
      throw OpenIDRefusal(
        .services, "console.openid.services_claim: it is missing, empty, or neither a text nor a list of texts")
    }
    do { return try TokenStore.checked(names, role) } catch {
      throw OpenIDRefusal(.services, "console.openid.services_claim: what it names can be no service")
    }
  }

  /// The claim of this name; if there is none, what the name's parts lead to, from object to object.
  private static func claim(_ name: String, of claims: JSONObject) -> JSONValue? {
    if let claim = claims[name] { return claim }
    let parts = name.split(separator: ".")
    guard parts.count > 1 else { return nil }
    return parts.dropFirst().reduce(claims[String(parts[0])]) { $0?[String($1)] }
  }

  /// Nil for what is neither a text nor a list of nothing else.
  private static func texts(of claim: JSONValue) -> [String]? {
    if let text = claim.string { return [text] }
    guard let values = claim.array else { return nil }
    let texts = values.compactMap(\.string)
    return texts.count == values.count ? texts : nil
  }
}
