import ChatDomain
import Synchronization

/// Finds chats by what the outside knows of them. Rebuilt from the chats themselves after a restart.
final class ChatIndex: Sendable {
  struct Entry: Sendable {
    var serviceName: String
    /// The options that the request brought (names that begin with `_`).
    var requestOptions: [DataPair]
    var chatSessionID: String?
    var userKey: String?
    var isEnded = false
  }

  private struct State {
    var services: [String: Entry] = [:]
    var serviceBySession: [String: String] = [:]
    var servicesByUser: [String: [String]] = [:]
  }

  private let state = Mutex(State())

  subscript(serviceID: String) -> Entry? { state.withLock { $0.services[serviceID] } }

  func created(_ serviceID: String, serviceName: String, data: [DataPair]) {
    let options = data.filter { $0.name.hasPrefix("_") }
    state.withLock {
      $0.services[serviceID] = Entry(
        serviceName: serviceName, requestOptions: options)
    }
  }

  /// - Parameter data: of the chat: the start may have brought options too.
  func opened(_ serviceID: String, chatSessionID: String, userKey: String?, data: [DataPair]) {
    let options = data.filter { $0.name.hasPrefix("_") }
    state.withLock { state in
      state.services[serviceID]?.requestOptions = options
      Self.open(serviceID, chatSessionID: chatSessionID, userKey: userKey, in: &state)
    }
  }

  /// A chat that a restart has brought back.
  func restored(_ serviceID: String, _ note: ChatNote) {
    state.withLock { state in
      state.services[serviceID] = Entry(
        serviceName: note.serviceName, requestOptions: note.options, isEnded: note.isEnded)
      if let session = note.chatSessionID {
        Self.open(serviceID, chatSessionID: session, userKey: note.userKey, in: &state)
      }
    }
  }

  private static func open(_ serviceID: String, chatSessionID: String, userKey: String?, in state: inout State) {
    state.services[serviceID]?.chatSessionID = chatSessionID
    state.services[serviceID]?.userKey = userKey
    state.serviceBySession[chatSessionID] = serviceID
    if let userKey, state.servicesByUser[userKey]?.contains(serviceID) != true {
      state.servicesByUser[userKey, default: []].append(serviceID)
    }
  }

  func ended(_ serviceID: String) { state.withLock { $0.services[serviceID]?.isEnded = true } }

  /// The customer's key is no longer known: nobody finds the chat by it.
  func erased(_ serviceID: String) {
    state.withLock { state in
      guard let user = state.services[serviceID]?.userKey else { return }
      state.services[serviceID]?.userKey = nil
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
      guard let entry = state.services.removeValue(forKey: serviceID) else { return }
      if let session = entry.chatSessionID { state.serviceBySession[session] = nil }
      if let user = entry.userKey {
        state.servicesByUser[user]?.removeAll { $0 == serviceID }
        if state.servicesByUser[user]?.isEmpty == true { state.servicesByUser[user] = nil }
      }
    }
  }

  func service(ofSession chatSessionID: String) -> String? { state.withLock { $0.serviceBySession[chatSessionID] } }

  /// The chats that a Comet session bound to this user or this one service may get events of.
  func services(userKey: String?, serviceID: String?) -> [String] {
    state.withLock { state in
      var found = userKey.flatMap { state.servicesByUser[$0] } ?? []
      if let serviceID, state.services[serviceID]?.chatSessionID != nil, !found.contains(serviceID) {
        found.append(serviceID)
      }
      return found
    }
  }

  /// The service ids of all chats that were started and, unless `includingEnded`, are not over.
  func started(includingEnded: Bool) -> [String] {
    state.withLock { state in
      state.serviceBySession.values.filter { includingEnded || state.services[$0]?.isEnded != true }
    }
  }
}
