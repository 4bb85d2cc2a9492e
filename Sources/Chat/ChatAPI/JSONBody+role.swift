import ChatDomain
import HTTPKit
import JSONEnvelope

extension JSONBody {
  /// The role to join in: what the token's holder is, unless the body asks for another that the token permits.
  func role(for token: AccessToken) throws(EdgeFailure) -> PartyRole {
    guard let value = self["role"] else { return token.role.partyRole }
    guard let name = value.string, let role = PartyRole(rawValue: name), role != .client else {
      throw .badParameter("role", "is not one of AGENT, SUPERVISOR, EXTERNAL")
    }
    guard token.role.permits(role) else { throw .forbidden("This token does not permit the role \(role.rawValue)") }
    return role
  }
}
