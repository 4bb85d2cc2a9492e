import EventSourcing
import Synchronization

/// The open sessions, for those who cannot wait for an entity's turn: looked up with each request. Rebuilt from the
/// sessions after a restart; where requests came from is known since then only.
final class ConsoleSessionIndex: Sendable {
  struct Entry: Sendable {
    let terms: ConsoleSessionTerms
    let openedAt: Timestamp
    var lastUse: Timestamp
    /// When the session was last told that it is used.
    var toldAt: Timestamp
    var addresses: [String] = []
    var userAgent: String?

    init(_ terms: ConsoleSessionTerms, openedAt: Timestamp, seenAt: Timestamp) {
      self.terms = terms
      self.openedAt = openedAt
      lastUse = seenAt
      toldAt = seenAt
    }

    func isOpen(_ now: Timestamp) -> Bool { now < terms.end(after: lastUse) }
  }

  private let entries = Mutex<[String: Entry]>([:])
  private let addressesMaximum: Int

  init(addressesMaximum: Int) { self.addressesMaximum = addressesMaximum }

  func set(_ key: String, _ session: borrowing ConsoleSession) {
    guard let terms = session.terms else { return }
    let entry = Entry(terms, openedAt: session.openedAt, seenAt: session.seenAt)
    entries.withLock { $0[key] = entry }
  }

  func remove(_ key: String) { entries.withLock { _ = $0.removeValue(forKey: key) } }

  subscript(key: String) -> Entry? { entries.withLock { $0[key] } }

  /// Those that are open, by their keys.
  func open(_ now: Timestamp) -> [(key: String, entry: Entry)] {
    entries.withLock { entries in entries.filter { $0.value.isOpen(now) }.map { ($0.key, $0.value) } }
  }

  /// - Returns: whether the session is to be told of it.
  func used(_ key: String, _ now: Timestamp) -> Bool {
    entries.withLock { entries in
      guard var entry = entries[key], entry.isOpen(now) else { return false }
      entry.lastUse = max(entry.lastUse, now)
      let isTold = entry.toldAt.advanced(by: ConsoleSession.sightInterval) <= now
      if isTold { entry.toldAt = now }
      entries[key] = entry
      return isTold
    }
  }

  /// The last places are kept, the latest last.
  func visited(_ key: String, from address: String?, _ userAgent: String?) {
    entries.withLock { entries in
      guard let known = entries[key] else { return }
      guard known.userAgent != userAgent || known.addresses.last != address else { return }
      var entry = known
      entry.userAgent = userAgent
      if let address {
        entry.addresses.removeAll { $0 == address }
        entry.addresses.append(address)
        if entry.addresses.count > addressesMaximum { entry.addresses.removeFirst() }
      }
      entries[key] = entry
    }
  }

  /// The sessions of a token beyond so many, used least lately.
  func surplus(of tokenID: String, beyond maximum: Int) -> [String] {
    entries.withLock { entries in
      let all = entries.filter { $0.value.terms.tokenID == tokenID }
      guard all.count > maximum else { return [] }
      let inOrder = all.sorted {
        ($0.value.lastUse, $0.value.openedAt, $0.key) < ($1.value.lastUse, $1.value.openedAt, $1.key)
      }
      return inOrder.prefix(all.count - maximum).map(\.key)
    }
  }
}
