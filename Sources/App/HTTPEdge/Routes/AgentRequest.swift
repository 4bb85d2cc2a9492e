import ChatDomain
import Hummingbird
import JSONEnvelope

/// The members of an agent's JSON body; each complaint names the member. Spec: GMS 12.3.
struct AgentRequest {
  private let members: JSONObject

  /// An empty body is an empty object.
  init(_ body: [UInt8]) throws(EdgeFailure) {
    guard body.contains(where: { $0 > 0x20 }) else {
      members = JSONObject()
      return
    }
    let value: JSONValue
    do {
      value = try JSONValue(parsing: body, limits: JSONLimits(depthMaximum: 16))
    } catch {
      throw .malformed("The body is not a JSON object: \(error.description)")
    }
    guard let object = value.object else { throw .malformed("The body is not a JSON object") }
    members = object
  }

  /// A text that must be there and not be empty.
  func text(_ name: String) throws(EdgeFailure) -> String {
    guard let value = members[name], !value.isNull else { throw .missingParameter(name) }
    guard let text = value.string else { throw .badParameter(name, "is not a string") }
    guard !text.isEmpty else { throw .badParameter(name, "is empty") }
    return text
  }

  func optionalText(_ name: String) throws(EdgeFailure) -> String? {
    guard let value = members[name], !value.isNull else { return nil }
    guard let text = value.string else { throw .badParameter(name, "is not a string") }
    return text
  }

  func bool(_ name: String) throws(EdgeFailure) -> Bool {
    guard let value = members[name], !value.isNull else { throw .missingParameter(name) }
    guard let bool = value.bool else { throw .badParameter(name, "is not true or false") }
    return bool
  }

  func optionalBool(_ name: String) throws(EdgeFailure) -> Bool? {
    guard let value = members[name], !value.isNull else { return nil }
    guard let bool = value.bool else { throw .badParameter(name, "is not true or false") }
    return bool
  }

  func optionalInteger(_ name: String, in range: ClosedRange<Int>) throws(EdgeFailure) -> Int? {
    guard let value = members[name], !value.isNull else { return nil }
    guard let number = value.integer, range.contains(number) else {
      throw .badParameter(name, "is not an integer from \(range.lowerBound) to \(range.upperBound)")
    }
    return number
  }

  func optionalObject(_ name: String) throws(EdgeFailure) -> JSONValue? {
    guard let value = members[name], !value.isNull else { return nil }
    guard value.object != nil else { throw .badParameter(name, "is not an object") }
    return value
  }

  func optionalTexts(_ name: String) throws(EdgeFailure) -> [String]? {
    guard let value = members[name], !value.isNull else { return nil }
    guard let elements = value.array, elements.allSatisfy({ $0.string != nil }) else {
      throw .badParameter(name, "is not an array of strings")
    }
    return elements.compactMap(\.string)
  }

  /// Objects, each to be read as a body is.
  func objects(_ name: String, maximum: Int) throws(EdgeFailure) -> [AgentRequest] {
    guard let value = members[name], !value.isNull else { throw .missingParameter(name) }
    guard let elements = value.array, elements.count <= maximum else {
      throw .badParameter(name, "is not an array of at most \(maximum) objects")
    }
    var objects: [AgentRequest] = []
    for element in elements {
      guard let object = element.object else { throw .badParameter(name, "has an element that is no object") }
      objects.append(AgentRequest(members: object))
    }
    return objects
  }

  private init(members: JSONObject) { self.members = members }

  /// The role to join in: what the token's holder is, unless the body asks for another that the token permits.
  func role(for token: AccessToken) throws(EdgeFailure) -> PartyRole {
    guard let value = members["role"], !value.isNull else { return token.role.partyRole }
    guard let name = value.string, let role = PartyRole(rawValue: name), role != .client else {
      throw .badParameter("role", "is not one of AGENT, SUPERVISOR, EXTERNAL")
    }
    guard token.role.permits(role) else { throw .forbidden("This token does not permit the role \(role.rawValue)") }
    return role
  }
}
