import EngineKit
import EventSourcing

extension EntityCard {
  /// Agents are no customers.
  static let agent = EntityCard(.agent, AgentDesk.self, narrator: { AgentNarrator() }, lying: .atDesk)
}
