import EngineKit
import EventSourcing
import SupportDomain
import Synchronization

/// Finds requests and people by what the outside knows of them, and gives out numbers. Rebuilt from the entities
/// themselves after a restart.
final class SupportIndex: Sendable {
  /// Whose a push address is.
  struct Owner: Equatable, Sendable {
    let user: Int64
    let device: Int
    let app: String
    let updatedAt: Timestamp
  }

  /// Whom an access token opens.
  private struct Bearer {
    let user: Int64
    let app: String
    /// Since this process began.
    var usedAt: Timestamp?
    /// When the user was told last that it is used.
    var notedAt: Timestamp?
  }

  private enum Shelf: Hashable {
    case status(SupportStatus)
    case assignee(Int64)
  }

  private struct State {
    var requests: [Int64: SupportRequestNote] = [:]
    /// All that are not erased, in their order.
    var numbers: [Int64] = []
    /// The same by status and by assignee, as negative numbers: the newest first.
    var byShelf: [Shelf: SortedPieces<Int64>] = [:]
    /// In the order of their numbers.
    var byRequester: [Int64: [Int64]] = [:]
    var highestRequest: Int64 = 0
    /// Of those that are not erased. Counted as they change: a million are too many for each look at the metrics.
    var byStatus: [SupportStatus: Int] = [:]
    var deviceCounts: [String: [SupportDevice.Address: Int]] = [:]
    var users: [Int64: SupportUserNote] = [:]
    var byKey: [SupportIdentity.Key: Int64] = [:]
    /// People whom an agent can write for by their e-mail.
    var byEmail: [String: Int64] = [:]
    var byToken: [[UInt8]: Bearer] = [:]
    var owners: [SupportDevice.Key: Owner] = [:]
    /// By the queues in which the pushes of our own couriers wait.
    var byQueue: [String: Owner] = [:]
    var highestUser: Int64 = 0
  }

  private let state = Mutex(State())
  /// The queue of a device that our own couriers push to; nil for all others.
  private let queue: @Sendable (SupportUserNote.Device) -> String?

  init(queue: @escaping @Sendable (SupportUserNote.Device) -> String?) { self.queue = queue }

  // MARK: Requests

  func nextRequest() -> Int64 {
    state.withLock { state in
      state.highestRequest += 1
      return state.highestRequest
    }
  }

  func request(_ number: Int64) -> SupportRequestNote? { state.withLock { $0.requests[number] } }

  func set(request key: String, _ note: SupportRequestNote) {
    guard let number = Int64(key) else { return }
    state.withLock { state in
      let before = state.requests[number]
      let former = before?.requester
      state.requests[number] = note
      if let before, former != nil {
        state.byStatus[before.status, default: 0] -= 1
        for shelf in Self.shelves(before) {
          state.byShelf[shelf]?.remove(-number)
          if state.byShelf[shelf]?.isEmpty == true { state.byShelf[shelf] = nil }
        }
      }
      if note.requester != nil {
        state.byStatus[note.status, default: 0] += 1
        for shelf in Self.shelves(note) { state.byShelf[shelf, default: SortedPieces()].insert(-number) }
      }
      state.highestRequest = max(state.highestRequest, number)
      guard former != note.requester else { return }
      if let former {
        state.byRequester[former]?.removeAll { $0 == number }
        state.numbers.removeAll { $0 == number }
      }
      if let requester = note.requester {
        Self.insert(number, into: &state.byRequester[requester, default: []])
        Self.insert(number, into: &state.numbers)
      }
    }
  }

  private static func shelves(_ note: SupportRequestNote) -> [Shelf] {
    [.status(note.status)] + (note.assignee.map { [.assignee($0)] } ?? [])
  }

  /// The next ones that fit, newest first. - Parameter after: behind this number; nil from the beginning.
  func requests(_ query: SupportQuery, after number: Int64?, limit: Int) -> [Int64] {
    state.withLock { state in
      func fits(_ number: Int64) -> Bool { state.requests[number].map { query.admits($0) } ?? false }
      let shelves: [Shelf] =
        query.assignee.map { [.assignee($0)] } ?? query.statuses.map { .status($0) }
      guard shelves.isEmpty else {
        var found: [Int64] = []
        for shelf in shelves {
          found += state.byShelf[shelf]?.elements(after: number.map { -$0 }, limit: limit) { fits(-$0) } ?? []
        }
        return found.sorted().prefix(limit).map { -$0 }
      }
      let start = number.map { Self.place(of: $0, in: state.numbers) } ?? state.numbers.count
      var found: [Int64] = []
      for number in state.numbers[..<start].reversed() where fits(number) {
        found.append(number)
        if found.count == limit { break }
      }
      return found
    }
  }

  /// How many are less.
  private static func place(of number: Int64, in numbers: [Int64]) -> Int {
    var (low, high) = (0, numbers.count)
    while low < high {
      let middle = (low + high) / 2
      if numbers[middle] < number { low = middle + 1 } else { high = middle }
    }
    return low
  }

  /// Mostly at the end.
  private static func insert(_ number: Int64, into numbers: inout [Int64]) {
    let place = numbers.lastIndex { $0 < number }.map { $0 + 1 } ?? 0
    numbers.insert(number, at: place)
  }

  /// The numbers of those that fit, newest first.
  func requests(_ query: SupportQuery) -> [Int64] {
    state.withLock { state in
      func fits(_ number: Int64) -> Bool {
        state.requests[number].map { query.admits($0) } ?? false
      }
      let numbers = query.requester.map { state.byRequester[$0] ?? [] } ?? state.numbers
      let isUnfiltered = query.statuses.isEmpty && query.assignee == nil && query.actor == nil
      return isUnfiltered ? numbers.reversed() : numbers.reversed().filter(fits)
    }
  }

  // MARK: People

  subscript(user number: Int64) -> SupportUserNote? { state.withLock { $0.users[number] } }

  /// The number of the user with this key; a new one if there is none.
  func claim(_ key: SupportIdentity.Key) -> Int64 {
    state.withLock { state in
      if let known = state.byKey[key] { return known }
      state.highestUser += 1
      state.byKey[key] = state.highestUser
      return state.highestUser
    }
  }

  /// Nobody could be made of a claim: else whoever comes while there is no room would be remembered for ever.
  func release(_ key: SupportIdentity.Key, _ number: Int64) {
    state.withLock { state in
      if state.users[number] == nil, state.byKey[key] == number { state.byKey[key] = nil }
    }
  }

  func number(of key: SupportIdentity.Key) -> Int64? { state.withLock { $0.byKey[key] } }
  func number(ofEmail email: String) -> Int64? { state.withLock { $0.byEmail[email.lowercased()] } }

  /// Whom a token opens, which counts as a use of it. - Returns: also whether the user is to note that, at most once in
  /// `interval`.
  func bearer(
    of digest: [UInt8], now: Timestamp, noting interval: Duration
  ) -> (user: Int64, app: String, isToNote: Bool)? {
    state.withLock { state in
      guard var bearer = state.byToken[digest] else { return nil }
      let isToNote = bearer.notedAt.map { $0.advanced(by: interval) <= now } ?? true
      bearer.usedAt = now
      if isToNote { bearer.notedAt = now }
      state.byToken[digest] = bearer
      return (bearer.user, bearer.app, isToNote)
    }
  }

  /// When a user's tokens were used last, as far as this process has seen it.
  func uses(of user: Int64) -> [[UInt8]: Timestamp] {
    state.withLock { state in
      var uses: [[UInt8]: Timestamp] = [:]
      for token in state.users[user]?.tokens ?? [] { uses[token.digest] = state.byToken[token.digest]?.usedAt }
      return uses
    }
  }

  /// - Parameter opened: addresses that were registered by it, perhaps as they had been before.
  /// - Returns: who has lost an address by it.
  @discardableResult
  func set(
    user key: String, _ note: SupportUserNote, opened: [SupportDevice.Key] = []
  ) -> [(user: Int64, identifier: String)] {
    guard let number = Int64(key) else { return [] }
    return state.withLock { state in
      let former = state.users[number]
      state.users[number] = note
      state.highestUser = max(state.highestUser, number)
      if former?.identity != note.identity { Self.identify(number, from: former, to: note, in: &state) }
      if former?.tokens != note.tokens {
        let bearers = former?.tokens.map { ($0.digest, state.byToken.removeValue(forKey: $0.digest)) } ?? []
        for token in note.tokens {
          let known = bearers.first { $0.0 == token.digest }?.1
          state.byToken[token.digest] = known ?? Bearer(user: number, app: token.app)
        }
      }
      guard former?.devices != note.devices || !opened.isEmpty else { return [] }
      for device in former?.devices ?? [] { state.deviceCounts[device.app]?[device.key.address, default: 0] -= 1 }
      for device in note.devices { state.deviceCounts[device.app, default: [:]][device.key.address, default: 0] += 1 }
      var displaced: [(user: Int64, identifier: String)] = []
      for device in former?.devices ?? [] where state.owners[device.key]?.user == number {
        state.owners[device.key] = nil
        if let queue = queue(device) { state.byQueue[queue] = nil }
      }
      for device in note.devices {
        if let other = state.owners[device.key], other.user != number {
          // Whoever has just registered an address has it. Of two who are found after a kill, which may have kept one
          // from knowing of the other, it is the later one.
          if !opened.contains(device.key), former?.devices.contains(device) ?? (other.updatedAt > device.updatedAt) {
            continue
          }
          displaced.append((other.user, device.key.identifier))
          Self.forgetQueue(of: device.key, other.user, queue, in: &state)
        }
        let owner = Owner(user: number, device: device.id, app: device.app, updatedAt: device.updatedAt)
        state.owners[device.key] = owner
        if let queue = queue(device) { state.byQueue[queue] = owner }
      }
      return displaced
    }
  }

  /// Nobody's push waits there any more, also where the one who has the address now has another queue.
  private static func forgetQueue(
    of key: SupportDevice.Key, _ user: Int64, _ queue: (SupportUserNote.Device) -> String?, in state: inout State
  ) {
    for device in state.users[user]?.devices ?? [] where device.key == key {
      if let place = queue(device) { state.byQueue[place] = nil }
    }
  }

  private static func identify(
    _ number: Int64, from former: SupportUserNote?, to note: SupportUserNote, in state: inout State
  ) {
    if let key = former?.identity?.key, state.byKey[key] == number { state.byKey[key] = nil }
    if let email = former?.identity?.email?.lowercased(), state.byEmail[email] == number {
      state.byEmail[email] = nil
    }
    guard let identity = note.identity else { return }
    state.byKey[identity.key] = number
    guard let email = identity.email?.lowercased() else { return }
    switch identity.key {
    case .verified: state.byEmail[email] = number
    case .contact: if state.byEmail[email] == nil { state.byEmail[email] = number }
    // Anybody can say so.
    case .anonymous, .agent: break
    }
  }

  // MARK: Devices

  func owner(of key: SupportDevice.Key) -> Owner? { state.withLock { $0.owners[key] } }

  func owner(ofQueue key: String) -> Owner? { state.withLock { $0.byQueue[key] } }

  /// The options have changed, and with them which queues there are.
  func refreshQueues() {
    state.withLock { state in
      state.byQueue = [:]
      for note in state.users.values {
        for device in note.devices {
          if let owner = state.owners[device.key], let queue = queue(device) { state.byQueue[queue] = owner }
        }
      }
    }
  }

  /// Everybody who has registered this identifier, whatever it is.
  func users(ofIdentifier identifier: String) -> [Int64] {
    state.withLock { state in
      var users: [Int64] = []
      for platform in SupportDevice.Platform.allCases {
        for address in SupportDevice.Address.allCases {
          let key = SupportDevice.Key(identifier: identifier, platform: platform, address: address)
          if let user = state.owners[key]?.user, !users.contains(user) { users.append(user) }
        }
      }
      return users
    }
  }

  /// Live devices that somebody else has registered later.
  var superseded: [(user: Int64, identifier: String)] {
    state.withLock { state in
      state.users.flatMap { number, note in
        note.devices.filter { state.owners[$0.key].map { $0.user != number } ?? false }
          .map { (number, $0.key.identifier) }
      }
    }
  }

  /// Live devices by app and kind of address.
  var deviceCounts: [String: [SupportDevice.Address: Int]] { state.withLock { $0.deviceCounts } }

  /// Requests by status.
  var requestCounts: [SupportStatus: Int] { state.withLock { $0.byStatus } }
}

extension SupportQuery {
  fileprivate func admits(_ note: SupportRequestNote) -> Bool {
    (statuses.isEmpty || statuses.contains(note.status)) && (assignee == nil || assignee == note.assignee)
      && (actor?.sees(note) ?? true)
  }
}
