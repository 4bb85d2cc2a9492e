import ChatDomain
import EngineKit
import EventSourcing
import Synchronization

/// Chats that a list found.
struct FoundChats {
  var places: [ChatPlace] = []
  var hasMore = false
  /// How many there are in all; nil where that would have to be counted.
  var total: Int?
}

// What agents look for.
extension ChatIndex {
  /// Whom a chat concerns; nil for one that is not started.
  func audience(of serviceID: String) -> AgentAudience? {
    state.withLock { $0.services[serviceID]?.audience }
  }

  /// A line has come, which may begin or end a wait. - Returns: whom the chat concerns; nil for one that is not started.
  func heard(_ line: AgentLine, in serviceID: String) -> AgentAudience? {
    state.withLock { state in
      guard let entry = state.services[serviceID] else { return nil }
      if line.position != nil { state.shelves.hear(line.content, in: entry) }
      return entry.audience
    }
  }

  /// What waits, at a desk that fits. By service id.
  func waiting(at fits: (_ service: String) -> Bool) -> [String] {
    state.withLock { state in
      state.startedByService.keys.filter(fits).sorted().flatMap { service in
        state.shelves[.waiting(service)].elements().compactMap { state.serviceBySession[$0.chatID] }
      }
    }
  }

  /// How a chat waits; nil if it does not.
  func waiting(_ serviceID: String) -> ChatDistribution.Waiting? {
    state.withLock { state in
      guard let entry = state.services[serviceID], entry.isWaiting, let place = entry.place else { return nil }
      return ChatDistribution.Waiting(
        service: entry.deskService, since: state.shelves.wait(of: place.chatID) ?? place.time, invited: entry.invited,
        offeredTo: state.offers[serviceID])
    }
  }

  /// - Parameter agentID: nil if it is offered to nobody any more.
  func offered(_ serviceID: String, to agentID: String?) { state.withLock { $0.offers[serviceID] = agentID } }

  /// How many live chats an agent is in.
  func count(of agentID: String) -> Int { state.withLock { $0.shelves[.own(agentID)].count } }

  /// The chats that began on a day and are for the agents of services.
  /// - Parameters:
  ///   - services: which.
  ///   - limit: of each service.
  func started(on day: FigureDay, at services: (String) -> Bool, limit: Int) -> [String] {
    let (first, last) = (ChatPlace(time: day.start, chatID: ""), ChatPlace(time: day.end, chatID: ""))
    return state.withLock { state in
      state.startedByService.keys.filter(services).flatMap { service in
        let shelf = state.shelves[.all(service)]
        let count = shelf.rank(of: last) - shelf.rank(of: first)
        return shelf.elements(after: first, limit: min(count, limit)).map(\.chatID)
      }
    }
  }

  /// The next chats that somebody sees, in the order that they ask for.
  func find(_ query: AgentListQuery, for viewer: AgentViewer, after: ChatPlace?, limit: Int) -> FoundChats {
    state.withLock { state in
      let sources = state.sources(query, for: viewer)
      // One more than is wanted of each: the first of all are among them.
      var found: [ChatPlace] = []
      for source in sources {
        let shelf = state.shelves[source.shelf]
        found +=
          query.order == .newest
          ? shelf.elements(before: after, limit: limit + 1) { source.fits($0, state) }
          : shelf.elements(after: after, limit: limit + 1) { source.fits($0, state) }
      }
      if query.order == .newest { found.sort(by: >) } else { found.sort() }
      var distinct: [ChatPlace] = []
      for place in found where distinct.last != place { distinct.append(place) }
      return FoundChats(
        places: Array(distinct.prefix(limit)), hasMore: distinct.count > limit, total: state.total(of: sources))
    }
  }
}

extension ChatIndex.Entry {
  var audience: AgentAudience? {
    startedAt == nil ? nil : AgentAudience(service: deskService, isOpen: isWaiting, agents: agents + invited)
  }
}

/// A shelf that a list takes from, and what of it.
private struct ChatSource {
  var shelf: ChatShelves.Shelf
  var phase: CustomerPhase?
  /// Of this service only.
  var service: String?
  /// Only those that nobody has.
  var isWaiting = false
  /// Only those that have waited since their start.
  var hasNoOtherWait = false
  /// Whether what stands on the shelf also stands on others that the list takes from.
  var isElsewhere = Elsewhere.no

  enum Elsewhere { case no, perhaps, all }

  var takesAll: Bool { phase == nil && service == nil && !isWaiting && !hasNoOtherWait }

  func fits(_ place: ChatPlace, _ state: ChatIndex.State) -> Bool {
    if takesAll { return true }
    if let phase, state.shelves.phase(of: place.chatID) != phase { return false }
    if hasNoOtherWait, !state.shelves.hasNoOtherWait(place.chatID) { return false }
    guard service != nil || isWaiting else { return true }
    guard let entry = state.serviceBySession[place.chatID].flatMap({ state.services[$0] }) else { return false }
    return (service == nil || entry.deskService == service) && (!isWaiting || entry.isWaiting)
  }
}

extension ChatIndex.State {
  fileprivate func sources(_ query: AgentListQuery, for viewer: AgentViewer) -> [ChatSource] {
    let served = (query.service.map { [$0] } ?? Array(startedByService.keys)).filter { viewer.serves($0) }
    var sources: [ChatSource] = []
    if query.filter != .own {
      let seesTaken = viewer.isSupervisor && query.filter == .all
      for service in served { sources += Self.sources(of: service, query, seesTaken: seesTaken) }
    }
    let isWait = query.order == .waiting
    // What a supervisor has, or may join, is also theirs to oversee.
    let isOverseen = viewer.isSupervisor && query.filter == .all
    let isAll = isOverseen && viewer.services == nil && !isWait
    if query.filter != .own, !isWait || query.filter == .waiting {
      // It may wait at their own service as well.
      sources.append(
        ChatSource(
          shelf: isWait ? .ownAsked(viewer.id) : .invited(viewer.id), phase: query.phase, service: query.service,
          isElsewhere: isAll ? .all : .perhaps))
    }
    if query.filter == .waiting { return sources }
    let isElsewhere: ChatSource.Elsewhere = isAll ? .all : isOverseen ? .perhaps : .no
    sources.append(
      ChatSource(
        shelf: isWait ? .ownAsked(viewer.id) : .own(viewer.id), phase: query.phase, service: query.service,
        isElsewhere: isElsewhere))
    if query.filter == .all, query.phase == nil, !isWait {
      sources.append(ChatSource(shelf: .past(viewer.id), service: query.service, isElsewhere: isElsewhere))
    }
    return sources
  }

  /// - Parameter seesTaken: also what others have.
  private static func sources(of service: String, _ query: AgentListQuery, seesTaken: Bool) -> [ChatSource] {
    if query.order == .waiting {
      return [
        ChatSource(shelf: .waiting(service), phase: query.phase, hasNoOtherWait: true),
        ChatSource(shelf: .asked(service), phase: query.phase, isWaiting: !seesTaken),
      ]
    }
    switch query.phase {
    case nil: return [ChatSource(shelf: seesTaken ? .all(service) : .waiting(service))]
    case .foreground:
      let waiting = ChatSource(shelf: .waiting(service), phase: .foreground)
      return seesTaken ? [waiting, ChatSource(shelf: .taken(service), phase: .foreground)] : [waiting]
    case .background, .lost: return [ChatSource(shelf: .away(service), phase: query.phase, isWaiting: !seesTaken)]
    }
  }

  /// The sum of the shelves' counts, where nothing of them is left out or may stand on two.
  fileprivate func total(of sources: [ChatSource]) -> Int? {
    var total = 0
    for source in sources {
      let shelf = shelves[source.shelf]
      if shelf.isEmpty || source.isElsewhere == .all { continue }
      guard source.takesAll, source.isElsewhere == .no else { return nil }
      total += shelf.count
    }
    return total
  }
}
