public import ChatDomain
package import EngineKit

/// Which of the things that an agent sees a list is to hold.
public struct AgentListQuery: Sendable, Equatable {
  public var filter: AgentService.Filter
  /// Of this service only.
  public var service: String?
  /// Of chats only, and only of those that live.
  public var phase: CustomerPhase?
  /// Of chats only.
  public var order = ChatOrder.oldest
  /// Where the list goes on: `ListPage.next` of the page before.
  public var after: String?
  /// At most so many; `EngineLimits.agentListMaximum` caps it.
  public var limit: Int

  public init(_ filter: AgentService.Filter = .all, service: String? = nil, after: String? = nil, limit: Int = 100) {
    self.filter = filter
    self.service = service
    self.after = after
    self.limit = limit
  }

  func takes(_ chat: borrowing ChatSession, of viewer: AgentViewer) -> Bool {
    let belongs =
      switch filter {
      case .waiting: chat.isWaiting || chat.isInvited(viewer.id)
      case .own: chat.isLive && chat.hasAgent(viewer.id)
      case .all: chat.isStarted
      }
    guard belongs, viewer.sees(AgentAudience(chat)), phase == nil || chat.customerPhase == phase else { return false }
    return order != .waiting || chat.waitingSince != nil
  }

  package func limit(_ limits: EngineLimits) -> Int { max(1, min(limit, limits.agentListMaximum)) }
}
