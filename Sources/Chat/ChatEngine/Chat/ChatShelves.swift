import ChatDomain
import EngineKit
import EventSourcing

/// Where lists find chats that were started.
struct ChatShelves {
  /// Each in the order of the chats' starts, but for `asked` and `ownAsked`: those are in the order of the waits.
  enum Shelf: Hashable {
    /// A service's, over or not.
    case all(String)
    /// A service's that nobody has.
    case waiting(String)
    /// A service's that somebody has.
    case taken(String)
    /// A service's that live and whose customers are away.
    case away(String)
    /// A service's whose customers wait, but for those that have waited since their start: they are among the waiting.
    case asked(String)
    /// An agent's.
    case own(String)
    /// Those of his, and that he may join, whose customers wait; with the same exception.
    case ownAsked(String)
    /// That an agent may join, whoever has them.
    case invited(String)
    /// An agent's that are over.
    case past(String)
  }

  private var shelves: [Shelf: SortedPieces<ChatPlace>] = [:]
  /// By chat session id; without those that have waited since their start, and nobody has them.
  private var waits: [String: Timestamp] = [:]
  /// By chat session id, those who are not in the foreground.
  private var away: [String: CustomerPhase] = [:]

  subscript(shelf: Shelf) -> SortedPieces<ChatPlace> { shelves[shelf] ?? SortedPieces() }

  /// Since when its customer waits; nil also where that is since its start.
  func wait(of chatID: String) -> Timestamp? { waits[chatID] }

  /// It waits since its start.
  func hasNoOtherWait(_ chatID: String) -> Bool { waits.isEmpty || waits[chatID] == nil }

  /// Of one that lives.
  func phase(of chatID: String) -> CustomerPhase { away.isEmpty ? .foreground : away[chatID] ?? .foreground }

  // MARK: Changes

  mutating func enter(_ entry: ChatIndex.Entry, at place: ChatPlace) {
    for (shelf, place) in places(of: entry, place) { put(place, on: shelf) }
  }

  mutating func leave(_ entry: ChatIndex.Entry, at place: ChatPlace) {
    for (shelf, place) in places(of: entry, place) { take(place, from: shelf) }
  }

  /// Nobody waits in it any more, and where its customer is matters no longer. - Precondition: it has left.
  mutating func settle(_ chatID: String) {
    waits[chatID] = nil
    away[chatID] = nil
  }

  mutating func stand(_ entry: ChatIndex.Entry, _ standing: ChatStanding) {
    move(entry, to: standing.phase)
    wait(in: entry, since: standing.waitingSince)
  }

  mutating func move(_ entry: ChatIndex.Entry, to phase: CustomerPhase?) {
    guard let place = entry.place, !entry.isEnded else { return }
    let absence = phase == .foreground ? nil : phase
    guard away[place.chatID] != absence else { return }
    away[place.chatID] = absence
    if absence == nil { take(place, from: .away(entry.deskService)) } else { put(place, on: .away(entry.deskService)) }
  }

  /// Somebody has said something.
  mutating func hear(_ line: TranscriptLine, in entry: ChatIndex.Entry) {
    guard line.type.saysSomething, let chatID = entry.chatSessionID else { return }
    if line.role != .client {
      if waits[chatID] != nil { wait(in: entry, since: nil) }
    } else if !entry.agents.isEmpty, waits[chatID] == nil {
      wait(in: entry, since: line.time)
    }
  }

  private mutating func wait(in entry: ChatIndex.Entry, since: Timestamp?) {
    guard let place = entry.place, !entry.isEnded else { return }
    let wait = entry.isWaiting && since == entry.startedAt ? nil : since
    guard waits[place.chatID] != wait else { return }
    for (shelf, place) in waitingPlaces(of: entry, place.chatID) { take(place, from: shelf) }
    waits[place.chatID] = wait
    for (shelf, place) in waitingPlaces(of: entry, place.chatID) { put(place, on: shelf) }
  }

  // MARK: Places

  private func places(of entry: ChatIndex.Entry, _ place: ChatPlace) -> [(Shelf, ChatPlace)] {
    let service = entry.deskService
    let own = entry.agents.map { (entry.isEnded ? Shelf.past($0) : .own($0), place) }
    if entry.isEnded { return [(.all(service), place)] + own }
    var found =
      [(Shelf.all(service), place), (entry.agents.isEmpty ? .waiting(service) : .taken(service), place)] + own
    found += entry.invited.map { (.invited($0), place) }
    if !away.isEmpty, away[place.chatID] != nil { found.append((.away(service), place)) }
    return found + waitingPlaces(of: entry, place.chatID)
  }

  private func waitingPlaces(of entry: ChatIndex.Entry, _ chatID: String) -> [(Shelf, ChatPlace)] {
    guard !waits.isEmpty, let since = waits[chatID] else { return [] }
    let place = ChatPlace(time: since, chatID: chatID)
    return [(.asked(entry.deskService), place)] + (entry.agents + entry.invited).map { (.ownAsked($0), place) }
  }

  private mutating func put(_ place: ChatPlace, on shelf: Shelf) {
    shelves[shelf, default: SortedPieces()].insert(place)
  }

  private mutating func take(_ place: ChatPlace, from shelf: Shelf) {
    shelves[shelf]?.remove(place)
    if shelves[shelf]?.isEmpty == true { shelves[shelf] = nil }
  }
}
