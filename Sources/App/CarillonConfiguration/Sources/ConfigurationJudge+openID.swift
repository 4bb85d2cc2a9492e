import ConsoleAPI
import Engine
import HTTPEdge
import NetworkAddress
import OptionKit

// A provider that could sign nobody in to the console as it is configured, or that anybody could play.
extension ConfigurationJudge {
  mutating func judgeOpenID() {
    let keys = OpenIDOptions.keys
    guard let issuer = value(of: keys.issuer, in: .server)?.value else { return warnOfNoProvider() }
    for needed in [keys.clientID.name, keys.redirectURL.name, keys.roleClaim.name, keys.roles.name]
    where value(of: needed, in: SectionKind.server.form)?.value.isEmpty ?? true {
      refuse(keys.issuer, in: .server, "needs option \(needed) beside it")
    }
    if !SecureURL.isSecure(issuer) || issuer.contains(where: { $0 == "?" || $0 == "#" }) {
      refuse(keys.issuer, in: .server, "must be an https URL, unless it is on loopback, without ? and #")
    }
    judgeRedirectURL()
    judgeRoles()
    if let scopes = value(of: keys.scopes, in: .server)?.value, !OptionType.members(of: scopes).contains("openid") {
      refuse(keys.scopes, in: .server, "must have openid among them")
    }
  }

  private mutating func judgeRedirectURL() {
    let key = OpenIDOptions.keys.redirectURL
    guard let url = value(of: key, in: .server)?.value else { return }
    let origin = url.hasSuffix(OpenIDPath.callback) ? url.dropLast(OpenIDPath.callback.count) : ""
    guard SecureURL.isSecure(String(origin)), origin.count(where: { $0 == "/" }) == 2 else {
      return refuse(
        key, in: .server,
        "must be this server's https URL, unless it is on loopback, with the path \(OpenIDPath.callback)")
    }
  }

  private mutating func judgeRoles() {
    let key = OpenIDOptions.keys.roles
    for member in OptionType.members(of: value(of: key, in: .server)?.value ?? "")
    where OpenIDSettings.RoleRule(member) == nil {
      let roles = OpenIDSettings.RoleRule.roles.map(\.rawValue).joined(separator: ", ")
      refuse(key, in: .server, "\(member.quoted) is no value=role; roles are \(roles)")
    }
  }

  private mutating func warnOfNoProvider() {
    let issuer = OpenIDOptions.keys.issuer.name
    for option in OpenIDOptions.options.map(\.name) {
      guard let (_, origin) = value(of: option, in: SectionKind.server.form) else { continue }
      warn(
        ConfigurationProblem(
          origin, section: SectionKind.server.form, option: option,
          reason: "means nothing while option \(issuer) is not set"))
    }
  }
}
