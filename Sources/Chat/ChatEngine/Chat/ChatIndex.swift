import ChatDomain
import EngineKit
import EventSourcing
import Synchronization

/// Finds chats by what the outside knows of them, and lists them for agents. Rebuilt from the chats themselves after a
/// restart.
package final class ChatIndex: Sendable {
  package struct Entry: Sendable {
    package var serviceName: String
    /// The options that the request brought (names that begin with `_`).
    var requestOptions: [NameValuePair]
    package var chatSessionID: String?
    var userKey: String?
    /// It had a user, whose key was erased.
    var isUserErased = false
    var isEnded = false
    /// Nil as long as the chat is not started.
    var startedAt: Timestamp?
    /// Who is in it; of one that is over: who was when it ended.
    var agents: [String] = []

    fileprivate var place: ChatPlace? {
      guard let startedAt, let chatSessionID else { return nil }
      return ChatPlace(startedAt: startedAt, chatID: chatSessionID)
    }

    fileprivate var shelves: [Shelf] {
      guard startedAt != nil else { return [] }
      let own = agents.map { isEnded ? Shelf.past($0) : .own($0) }
      return own + (isEnded || !agents.isEmpty ? [.all(serviceName)] : [.all(serviceName), .waiting(serviceName)])
    }
  }

  /// Where a list finds its chats, each in the order of their starts.
  fileprivate enum Shelf: Hashable {
    /// A service's, started.
    case all(String)
    /// A service's that nobody has.
    case waiting(String)
    /// An agent's.
    case own(String)
    /// An agent's that are over.
    case past(String)
  }

  private struct State {
    var services: [String: Entry] = [:]
    var serviceBySession: [String: String] = [:]
    var servicesByUser: [String: [String]] = [:]
    /// Keys that were made for one callback alone, and open its chat; and back.
    var guestKeys: [String: String] = [:]
    var servicesByGuestKey: [String: String] = [:]
    var shelves: [Shelf: SortedPieces<ChatPlace>] = [:]
    /// Chats that were started, by service: which shelves there are to look at.
    var startedByService: [String: Int] = [:]

    /// Changes an entry, and where lists find it.
    mutating func change(_ serviceID: String, _ body: (inout Entry) -> Void) {
      guard var entry = services[serviceID] else { return }
      let before = entry
      body(&entry)
      services[serviceID] = entry
      guard before.startedAt != entry.startedAt || before.isEnded != entry.isEnded || before.agents != entry.agents
      else { return }
      leave(before)
      enter(entry)
    }

    mutating func enter(_ entry: Entry) {
      guard let place = entry.place else { return }
      startedByService[entry.serviceName, default: 0] += 1
      for shelf in entry.shelves { shelves[shelf, default: SortedPieces()].insert(place) }
    }

    mutating func leave(_ entry: Entry) {
      guard let place = entry.place else { return }
      let left = startedByService[entry.serviceName, default: 1] - 1
      startedByService[entry.serviceName] = left > 0 ? left : nil
      for shelf in entry.shelves {
        shelves[shelf]?.remove(place)
        if shelves[shelf]?.isEmpty == true { shelves[shelf] = nil }
      }
    }
  }

  private let state = Mutex(State())

  package subscript(serviceID: String) -> Entry? { state.withLock { $0.services[serviceID] } }

  func created(_ serviceID: String, serviceName: String, data: [NameValuePair], userKey: String?) {
    let options = data.filter { $0.name.hasPrefix("_") }
    state.withLock {
      $0.services[serviceID] = Entry(serviceName: serviceName, requestOptions: options, userKey: userKey)
    }
  }

  /// - Parameter note: of the chat: the start may have brought options too.
  func opened(_ serviceID: String, _ note: ChatNote) {
    state.withLock { state in
      state.services[serviceID]?.requestOptions = note.options
      Self.open(serviceID, note, in: &state)
    }
  }

  /// A chat that a restart has brought back.
  func restored(_ serviceID: String, _ note: ChatNote) {
    state.withLock { state in
      if let before = state.services[serviceID] { state.leave(before) }
      state.services[serviceID] = Entry(
        serviceName: note.serviceName, requestOptions: note.options, userKey: note.userKey,
        isUserErased: note.isUserErased, isEnded: note.isEnded)
      Self.open(serviceID, note, in: &state)
    }
  }

  private static func open(_ serviceID: String, _ note: ChatNote, in state: inout State) {
    guard let chatSessionID = note.chatSessionID else { return }
    state.services[serviceID]?.chatSessionID = chatSessionID
    state.services[serviceID]?.userKey = note.userKey
    state.change(serviceID) { entry in
      entry.startedAt = note.startedAt
      entry.agents = note.agents
    }
    state.serviceBySession[chatSessionID] = serviceID
    if let userKey = note.userKey, state.servicesByUser[userKey]?.contains(serviceID) != true {
      state.servicesByUser[userKey, default: []].append(serviceID)
    }
  }

  /// - Parameter agents: who is in the chat now.
  func attended(_ serviceID: String, by agents: [String]) {
    state.withLock { $0.change(serviceID) { $0.agents = agents } }
  }

  func ended(_ serviceID: String) { state.withLock { $0.change(serviceID) { $0.isEnded = true } } }

  /// The customer's key is no longer known: nobody finds the chat by it.
  func erased(_ serviceID: String) {
    state.withLock { state in
      Self.setGuestKey(nil, of: serviceID, in: &state)
      guard let user = state.services[serviceID]?.userKey else { return }
      state.services[serviceID]?.userKey = nil
      state.services[serviceID]?.isUserErased = true
      state.services[serviceID]?.requestOptions = []
      state.servicesByUser[user]?.removeAll { $0 == serviceID }
      if state.servicesByUser[user]?.isEmpty == true { state.servicesByUser[user] = nil }
    }
  }

  func reserveCapacity(_ count: Int) {
    state.withLock { state in
      state.services.reserveCapacity(count)
      state.serviceBySession.reserveCapacity(count)
    }
  }

  func removed(_ serviceID: String) {
    state.withLock { state in
      Self.setGuestKey(nil, of: serviceID, in: &state)
      guard let entry = state.services.removeValue(forKey: serviceID) else { return }
      state.leave(entry)
      if let session = entry.chatSessionID { state.serviceBySession[session] = nil }
      if let user = entry.userKey {
        state.servicesByUser[user]?.removeAll { $0 == serviceID }
        if state.servicesByUser[user]?.isEmpty == true { state.servicesByUser[user] = nil }
      }
    }
  }

  /// One that was `created` and then refused.
  func withdrawn(_ serviceID: String) { state.withLock { $0.services[serviceID] = nil } }

  package func service(ofSession chatSessionID: String) -> String? {
    state.withLock { $0.serviceBySession[chatSessionID] }
  }

  /// The chats that were started and open to this key: the user's own, or the one that it was made for.
  func services(userKey: String) -> [String] {
    state.withLock { state in
      var found = state.servicesByUser[userKey] ?? []
      if let serviceID = state.servicesByGuestKey[userKey], state.services[serviceID]?.chatSessionID != nil,
        !found.contains(serviceID)
      {
        found.append(serviceID)
      }
      return found
    }
  }

  // MARK: Keys that were made for one callback

  /// - Parameter key: opens the chat of this callback, which may not be there yet; nil for none any more.
  package func setGuestKey(_ key: String?, of serviceID: String) {
    state.withLock { Self.setGuestKey(key, of: serviceID, in: &$0) }
  }

  /// The callback is gone: its key goes with it, unless its chat lives on.
  package func callbackRemoved(_ serviceID: String) {
    state.withLock { state in
      if state.services[serviceID] == nil { Self.setGuestKey(nil, of: serviceID, in: &state) }
    }
  }

  private static func setGuestKey(_ key: String?, of serviceID: String, in state: inout State) {
    if let former = state.guestKeys[serviceID], former != key { state.servicesByGuestKey[former] = nil }
    state.guestKeys[serviceID] = key
    if let key { state.servicesByGuestKey[key] = serviceID }
  }

  func guestKey(of serviceID: String) -> String? { state.withLock { $0.guestKeys[serviceID] } }

  func isGuestKey(_ userKey: String) -> Bool { state.withLock { $0.servicesByGuestKey[userKey] != nil } }

  // MARK: For agents

  /// Whom a chat concerns; nil for one that is not started.
  func audience(of serviceID: String) -> AgentAudience? {
    state.withLock { state in
      guard let entry = state.services[serviceID], entry.startedAt != nil else { return nil }
      return AgentAudience(
        service: entry.serviceName, isOpen: !entry.isEnded && entry.agents.isEmpty, agents: entry.agents)
    }
  }

  /// The next chats that somebody sees, the oldest first, and whether there are more.
  func places(
    _ filter: AgentService.Filter, service: String?, for viewer: AgentViewer, after: ChatPlace?, limit: Int
  ) -> (found: [ChatPlace], hasMore: Bool) {
    state.withLock { state in
      let served = (service.map { [$0] } ?? Array(state.startedByService.keys)).filter { viewer.serves($0) }
      let own: [Shelf] =
        filter == .waiting ? [] : filter == .own ? [.own(viewer.id)] : [.own(viewer.id), .past(viewer.id)]
      let others: [Shelf] =
        switch filter {
        case .own: []
        case .waiting: served.map { .waiting($0) }
        case .all: served.map { viewer.isSupervisor ? .all($0) : .waiting($0) }
        }
      // One more than is wanted of each: the first of all are among them.
      var found: [ChatPlace] = []
      for shelf in others { found += state.shelves[shelf]?.elements(after: after, limit: limit + 1) ?? [] }
      for shelf in own {
        found +=
          state.shelves[shelf]?.elements(after: after, limit: limit + 1) { place in
            service == nil
              || state.serviceBySession[place.chatID].flatMap { state.services[$0]?.serviceName } == service
          } ?? []
      }
      found.sort()
      var distinct: [ChatPlace] = []
      for place in found where distinct.last != place { distinct.append(place) }
      return (Array(distinct.prefix(limit)), distinct.count > limit)
    }
  }
}

/// Where a chat stands in lists: by its start. As a text it says where a list goes on, also when the chat is gone.
struct ChatPlace: Comparable, Sendable {
  let startedAt: Timestamp
  /// The chat session id.
  let chatID: String

  static func < (left: ChatPlace, right: ChatPlace) -> Bool {
    left.startedAt == right.startedAt ? left.chatID < right.chatID : left.startedAt < right.startedAt
  }

  /// `1770798605123.0002CaBE7F0K001Q`.
  var cursor: String { "\(startedAt.milliseconds).\(chatID)" }

  /// Nil for a text that `cursor` has not made.
  init?(cursor: String) {
    let parts = cursor.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count == 2, let milliseconds = Int64(parts[0]) else { return nil }
    self.init(startedAt: Timestamp(milliseconds: milliseconds), chatID: String(parts[1]))
  }

  init(startedAt: Timestamp, chatID: String) {
    self.startedAt = startedAt
    self.chatID = chatID
  }
}
