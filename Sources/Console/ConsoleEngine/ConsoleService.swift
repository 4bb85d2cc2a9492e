public import EngineKit
package import EntityRuntime
public import EventSourcing
import OptionKit
import Synchronization

/// Who is signed in to the console. Each call returns once what it did is durable.
public final class ConsoleService: Sendable {
  package let directory: EntityDirectory<ConsoleSession>
  package let timers: KeyedTimers<ConsoleSessionTimer>
  let index: ConsoleSessionIndex
  private let partitions: Partitions
  private let followers = Mutex<[@Sendable () -> Void]>([])

  private static let addressesMaximum = 8

  package init(_ partitions: Partitions) {
    directory = partitions.directory(.consoleSession)
    timers = partitions.timers()
    index = ConsoleSessionIndex(addressesMaximum: Self.addressesMaximum)
    self.partitions = partitions
    partitions.add(self)
  }

  private var now: Timestamp { partitions.context.time.now }
  private var options: SectionReader { partitions.node.options.current.section(.server) }

  // MARK: Signing in and out

  /// Opens a session.
  /// - Parameters:
  ///   - key: the hash of the secret that its browser has.
  ///   - tokenID: whose token it acts as; of a person, what follows from who they are.
  ///   - code: the hash of the code of a one-time link; nil for a token that was shown.
  ///   - person: whom a provider has vouched for; nil for whoever has a token.
  /// - Throws: `.limitReached`, `.storageFull`, `.unavailable`.
  public func open(
    _ key: String, tokenID: String, name: String, role: String, code: String? = nil, person: ConsolePerson? = nil
  ) async throws(EngineError) -> ConsoleSessionView {
    guard partitions.node.isReady else { throw .unavailable }
    let (keys, options) = (ConsoleOptions.keys, options)
    let terms = ConsoleSessionTerms(
      tokenID: tokenID, name: name, role: role, expiresAt: now.advanced(by: .seconds(options[keys.seconds])),
      idleSeconds: options[keys.idleSeconds], code: code, person: person)
    guard let session = directory.entity(key, limit: options[keys.sessions]) else {
      throw .limitReached("sessions of the console")
    }
    do throws(TurnError<ConsoleSessionRejection>) {
      try await session.perform(.open(terms)) { _ in }
    } catch {
      directory.remove(key)
      throw Self.failure(error)
    }
    for former in index.surplus(of: tokenID, beyond: options[keys.sessionsByToken]) {
      _ = try await end(former, .displaced)
    }
    guard let view = view(key) else { throw .unavailable }
    return view
  }

  /// Ends a session. - Returns: false if there is none, or none any more.
  @discardableResult
  public func end(_ key: String, _ reason: ConsoleSessionEnd) async throws(EngineError) -> Bool {
    guard let session = directory[key] else { return false }
    do throws(TurnError<ConsoleSessionRejection>) {
      try await session.perform(.end(reason)) { _ in }
      return true
    } catch {
      if case .rejected(.unknown) = error { return false }
      throw Self.failure(error)
    }
  }

  /// Runs what reads and writes files on a thread of its own.
  package func onThread<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
    try await partitions.onThread(body)
  }

  /// Whoever follows is told when a session has been opened or is over.
  package func onChange(_ follower: @escaping @Sendable () -> Void) { followers.withLock { $0.append(follower) } }

  private func tellFollowers() { for follower in followers.withLock({ $0 }) { follower() } }

  // MARK: Looking them up

  /// An open session; nil if there is none.
  public func view(_ key: String) -> ConsoleSessionView? { entry(key).map { ConsoleSessionView(key, $0) } }

  /// The open sessions, in no order.
  public func open() -> [ConsoleSessionView] {
    index.open(now).compactMap { key, entry in isVouchedFor(key, entry) ? ConsoleSessionView(key, entry) : nil }
  }

  /// Those who are signed in by a provider, each by the latest of their sessions of one name.
  public func openOfPeople() -> [ConsoleSessionView] {
    let views = open().filter { $0.terms.person != nil }.map { ([$0.terms.tokenID, $0.terms.name], $0) }
    return Array(Dictionary(views) { $0.openedAt < $1.openedAt ? $1 : $0 }.values)
  }

  /// Whom an open session acts as; nil if there is no such session, or none any more.
  public func terms(of key: String) -> ConsoleSessionTerms? { entry(key)?.terms }

  /// The id of the token that an open session acts as; nil if there is no such session, or none any more.
  public func tokenID(of key: String) -> String? { terms(of: key)?.tokenID }

  private func entry(_ key: String) -> ConsoleSessionIndex.Entry? {
    guard let entry = index[key], entry.isOpen(now), isVouchedFor(key, entry) else { return nil }
    return entry
  }

  /// Whether the provider that has vouched for somebody is the one that may: else the session ends.
  private func isVouchedFor(_ key: String, _ entry: ConsoleSessionIndex.Entry) -> Bool {
    guard let person = entry.terms.person, options[OpenIDOptions.keys.issuer] != person.issuer else { return true }
    orphaned(key, .providerRemoved)
    return false
  }

  /// It has been used just now.
  public func used(_ key: String) {
    guard index.used(key, now) else { return }
    post(.see, to: key)
  }

  /// A request of it has come from there.
  public func visited(_ key: String, from address: String?, userAgent: String?) {
    index.visited(key, from: address, userAgent)
  }

  /// What it acted as opens nothing any more.
  public func orphaned(_ key: String, _ reason: ConsoleSessionEnd = .tokenRevoked) {
    // Nobody is to find it in between.
    index.remove(key)
    post(.end(reason), to: key)
  }

  private func post(_ command: ConsoleSessionCommand, to key: String) {
    partitions.context.lanes[key.hashValue].enqueue { [directory] in _ = await directory[key]?.post(command) }
  }

  private static func failure(_ error: TurnError<ConsoleSessionRejection>) -> EngineError {
    switch error {
    case .storageFull: .storageFull
    case .overloaded, .tooLarge: .limitReached("journal")
    case .rejected, .failed: .unavailable
    }
  }
}

package enum ConsoleSessionTimer: Hashable, Sendable {
  case end
}

/// An open session as its holder and operators see it.
public struct ConsoleSessionView: Sendable, Equatable {
  /// Its key: a hash, which opens nothing.
  public let id: String
  public let terms: ConsoleSessionTerms
  public let openedAt: Timestamp
  public let seenAt: Timestamp
  /// Where its requests came from since the server's start, the latest last.
  public let addresses: [String]
  /// As its browser called itself last.
  public let userAgent: String?

  init(_ key: String, _ entry: ConsoleSessionIndex.Entry) {
    id = key
    terms = entry.terms
    openedAt = entry.openedAt
    seenAt = entry.lastUse
    addresses = entry.addresses
    userAgent = entry.userAgent
  }

  /// How long its browser is to keep the cookie: no second less because the session was opened a moment after its terms
  /// were made.
  package var cookieSeconds: Int64 { terms.expiresAt.advanced(by: .milliseconds(999)).seconds(since: openedAt) }
}

extension ConsoleService: AlarmedHost {
  package func perform(_ effects: [ConsoleSessionEffect], of session: Entity<ConsoleSession>) async {
    let key = session.id.key
    for effect in effects {
      switch effect {
      case .opened:
        await session.peek { [index] in index.set(key, $0) }
        tellFollowers()
      case .setAlarm(let deadline): timers.start(.end, of: key, at: deadline)
      case .forget:
        timers.cancel(.end, of: key)
        index.remove(key)
        directory.remove(key)
        tellFollowers()
      }
    }
  }

  /// The timer has fired. A session that was used meanwhile, of which its journal need not know, has another end.
  package func fired(_ alarm: ConsoleSessionTimer, of key: String) async {
    guard let session = directory[key] else { return }
    let lastUse = index[key]?.lastUse ?? .epoch
    await session.post(.expire(lastUse: lastUse))
    let again = await session.peek { session in session.terms?.end(after: max(session.seenAt, lastUse)) }
    // Not at once, should the disk have no room for its end at the moment.
    if let again { timers.start(.end, of: key, at: max(again, now.advanced(by: .seconds(1)))) }
  }

  package var rearming: RearmPhase? { .owed }

  /// All of it: a session is looked up with each request.
  package func note(of session: borrowing ConsoleSession) -> [UInt8] { session.stateBytes }

  package func restored(_ key: String, _ session: borrowing ConsoleSession) { index.set(key, session) }

  package func restored(_ key: String, note: [UInt8]) throws(PayloadError) -> Bool {
    index.set(key, try ConsoleSession(stateBytes: note))
    return true
  }
}
