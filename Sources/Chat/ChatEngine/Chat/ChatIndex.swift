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
    /// Who may join, whoever has it.
    var invited: [String] = []
    /// Whose agents it is for, if not its service's.
    var desk: String?

    /// The service whose agents it is for.
    var deskService: String { desk ?? serviceName }

    var place: ChatPlace? {
      guard let startedAt, let chatSessionID else { return nil }
      return ChatPlace(time: startedAt, chatID: chatSessionID)
    }

    var isWaiting: Bool { !isEnded && agents.isEmpty }
  }

  struct State {
    var services: [String: Entry] = [:]
    var serviceBySession: [String: String] = [:]
    var servicesByUser: [String: [String]] = [:]
    /// Keys that were made for one callback alone, and open its chat; and back.
    var guestKeys: [String: String] = [:]
    var servicesByGuestKey: [String: String] = [:]
    var shelves = ChatShelves()
    /// To whom chats that wait are offered.
    var offers: [String: String] = [:]
    /// Chats that were started, by service: which shelves there are to look at.
    var startedByService: [String: Int] = [:]

    /// Changes an entry, and where lists find it.
    mutating func change(_ serviceID: String, _ body: (inout Entry) -> Void) {
      guard var entry = services[serviceID] else { return }
      let before = entry
      body(&entry)
      services[serviceID] = entry
      guard
        before.startedAt != entry.startedAt || before.isEnded != entry.isEnded || before.agents != entry.agents
          || before.invited != entry.invited || before.desk != entry.desk
      else { return }
      leave(before)
      if entry.isEnded, let place = entry.place { shelves.settle(place.chatID) }
      enter(entry)
    }

    mutating func enter(_ entry: Entry) {
      guard let place = entry.place else { return }
      startedByService[entry.deskService, default: 0] += 1
      shelves.enter(entry, at: place)
    }

    mutating func leave(_ entry: Entry) {
      guard let place = entry.place else { return }
      let left = startedByService[entry.deskService, default: 1] - 1
      startedByService[entry.deskService] = left > 0 ? left : nil
      shelves.leave(entry, at: place)
    }
  }

  let state = Mutex(State())

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
      if let before = state.services[serviceID] {
        state.leave(before)
        if let place = before.place { state.shelves.settle(place.chatID) }
      }
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
      entry.invited = note.invited
      entry.desk = note.desk
    }
    if let entry = state.services[serviceID] { state.shelves.stand(entry, note.standing) }
    state.offers[serviceID] = note.offeredTo
    state.serviceBySession[chatSessionID] = serviceID
    if let userKey = note.userKey, state.servicesByUser[userKey]?.contains(serviceID) != true {
      state.servicesByUser[userKey, default: []].append(serviceID)
    }
  }

  /// Who is in the chat, or may be, or whose it is has changed.
  func attended(_ serviceID: String, _ note: ChatNote) {
    state.withLock { state in
      state.change(serviceID) { entry in
        entry.agents = note.agents
        entry.invited = note.invited
        entry.desk = note.desk
      }
      if let entry = state.services[serviceID] { state.shelves.stand(entry, note.standing) }
    }
  }

  /// The customer went or came.
  func moved(_ serviceID: String, to phase: CustomerPhase?) {
    state.withLock { state in
      if let entry = state.services[serviceID] { state.shelves.move(entry, to: phase) }
    }
  }

  func ended(_ serviceID: String) {
    state.withLock { state in
      state.offers[serviceID] = nil
      state.change(serviceID) { entry in
        entry.isEnded = true
        entry.invited = []
      }
    }
  }

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
      state.offers[serviceID] = nil
      guard let entry = state.services.removeValue(forKey: serviceID) else { return }
      state.leave(entry)
      if let place = entry.place { state.shelves.settle(place.chatID) }
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
}
