import DequeModule

/// What the search has yet to look at.
struct SearchAgenda {
  enum Job: Equatable {
    /// These chats have news.
    case look([String])
    /// The next chats that were there at the start: those that began before this one.
    case restore(before: ChatPlace?)
  }

  /// Chats with news, each once, in the order of the news.
  private var keys = Deque<String>()
  private var known: Set<String> = []
  private var restoring = Restoring.notBegun
  private var hasLooked = false
  private var isBusy = false
  private(set) var isFinished = false

  private enum Restoring: Equatable {
    case notBegun
    case at(ChatPlace?)
    case done
    /// There was no room for what is older.
    case cutShort
  }

  /// All chats that were there at the start were looked at, or there was no room for more.
  var isRestored: Bool { restoring == .done || restoring == .cutShort }
  var isCutShort: Bool { restoring == .cutShort }
  /// Nothing is to be done, and nothing is being done.
  var isEmpty: Bool { keys.isEmpty && !isBusy && isRestored }

  /// - Returns: whether it is the only one.
  mutating func note(_ key: String) -> Bool {
    guard !isFinished, known.insert(key).inserted else { return false }
    keys.append(key)
    return keys.count == 1
  }

  mutating func beginRestoring() { restoring = .at(nil) }

  /// - Parameter place: of the last chat that was looked at; nil: there are no more.
  mutating func restored(to place: ChatPlace?) { restoring = place.map { .at($0) } ?? .done }

  mutating func cutShort() { restoring = .cutShort }

  /// News and old chats in turns. - Returns: nil if there is nothing to do, or it is over.
  mutating func next(maximum: Int) -> Job? {
    isBusy = false
    guard !isFinished else { return nil }
    if case .at(let place) = restoring, hasLooked || keys.isEmpty {
      (isBusy, hasLooked) = (true, false)
      return .restore(before: place)
    }
    guard !keys.isEmpty else { return nil }
    (isBusy, hasLooked) = (true, true)
    let taken = Array(keys.prefix(maximum))
    keys.removeFirst(taken.count)
    known.subtract(taken)
    return .look(taken)
  }

  mutating func finish() {
    isFinished = true
    keys = []
    known = []
  }
}
