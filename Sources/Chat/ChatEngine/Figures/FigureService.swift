public import ChatDomain
public import EngineKit
import EntityRuntime
import EventSourcing
import Synchronization

/// What became of the chats of a day, for those who oversee them.
///
/// Read off the chats that are there, so that it is the same after a restart: a chat counts as long as its instance lives.
/// Of those that are over what they add is remembered; those that go on are looked at each time, and stay asleep.
public final class FigureService: Sendable {
  /// Chats of one day that one answer is made of. With more than that, figures are to be had service by service.
  public static let chatsMaximum = 200_000
  /// Days of which it is remembered what chats that are over add.
  private static let daysKept = 4
  /// Chats that are looked at in one go, before others have their turn.
  private static let chunkCount = 256

  private let chats: ChatService
  private let context: RuntimeContext
  private let settled = Mutex<[FigureDay: [String: ChatContribution]]>([:])

  init(chats: ChatService, context: RuntimeContext) {
    self.chats = chats
    self.context = context
  }

  /// The figures of the services that the viewer serves.
  /// - Parameters:
  ///   - day: nil for today.
  ///   - service: of this one only.
  /// - Throws: `.limitReached` for a day with more than `chatsMaximum` chats, `.unavailable`.
  public func report(
    of day: FigureDay? = nil, service: String? = nil, for viewer: AgentViewer
  ) async throws(EngineError) -> DayFigures {
    let day = day ?? FigureDay(of: context.time.now)
    func fits(_ name: String) -> Bool { viewer.serves(name) && (service == nil || name == service) }
    let found = chats.index.started(on: day, at: fits, limit: Self.chatsMaximum + 1)
    guard found.count <= Self.chatsMaximum else { throw .limitReached("chats of one day: ask for one service") }
    let contributions = try await contributions(of: found, day)
    try await context.untilTold()
    remember(contributions, of: day)
    var figures = ChatFigures(of: day)
    for (chatID, contribution) in contributions { figures.put(contribution, of: chatID) }
    // One may have gone to other agents meanwhile.
    return DayFigures(report: figures.report { fits($0.service) }, isComplete: isComplete(day, fits))
  }

  private func contributions(
    of found: [String], _ day: FigureDay
  ) async throws(EngineError) -> [String: ChatContribution] {
    let known = settled.withLock { $0[day] ?? [:] }
    var contributions: [String: ChatContribution] = [:]
    contributions.reserveCapacity(found.count)
    for (number, chatID) in found.enumerated() {
      if number % Self.chunkCount == Self.chunkCount - 1 {
        await Task.yield()
        if Task.isCancelled { throw .unavailable }
      }
      if let contribution = known[chatID] {
        contributions[chatID] = contribution
      } else if let serviceID = chats.index.service(ofSession: chatID) {
        contributions[chatID] = await chats.directory.peek(serviceID, isUse: false) { $0.contribution } ?? nil
      }
    }
    return contributions
  }

  /// - Parameter contributions: of some of the day's services; what is known of the others stays, unless they are gone.
  private func remember(_ contributions: [String: ChatContribution], of day: FigureDay) {
    var known = settled.withLock { $0[day] ?? [:] }.filter { chats.index.service(ofSession: $0.key) != nil }
    for (chatID, contribution) in contributions where contribution.isSettled { known[chatID] = contribution }
    // Of two who are here at once the latter wins: the other's is read again.
    settled.withLock { settled in
      settled[day] = known
      guard settled.count > Self.daysKept else { return }
      if let oldest = settled.keys.filter({ $0 != day }).min(by: { $0.start < $1.start }) { settled[oldest] = nil }
    }
  }

  /// Whether no chat of that day can have come to the end of its life yet.
  private func isComplete(_ day: FigureDay, _ fits: (String) -> Bool) -> Bool {
    let options = chats.options.current
    let services = (options.serviceNames + [Options.defaultService]).filter { options.hasService($0) && fits($0) }
    let lives = services.map { chats.policies.policy(service: $0, request: []).timeToLive }
    return lives.allSatisfy { context.time.now <= day.start.advanced(by: $0) }
  }
}

/// The figures of a day, and whether they are all.
public struct DayFigures: Sendable, Equatable {
  public let report: ChatFigureReport
  /// No chat of that day can be gone yet; else some may be, and are not counted.
  public let isComplete: Bool
}
