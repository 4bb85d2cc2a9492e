/// One party of a chat: number 0 is the customer, every join of an agent adds one.
///
/// Events name their author by this number, so that a nickname is stored once and not with every line.
public struct ChatParty: Sendable, Equatable, Codable {
  /// Whose agent token joined; nil for the customer.
  public let agentID: String?
  public let nickname: String
  public let role: PartyRole

  public init(agentID: String?, nickname: String, role: PartyRole) {
    self.agentID = agentID
    self.nickname = nickname
    self.role = role
  }

  /// The number of the customer, who is in the chat from its start.
  public static let customer = 0
}

/// An agent who is in a chat now.
public struct ChatAgent: Sendable, Equatable, Codable {
  public let id: String
  public let nickname: String
  public let role: PartyRole

  public init(id: String, nickname: String, role: PartyRole) {
    self.id = id
    self.nickname = nickname
    self.role = role
  }
}
