import ChatDomain
import EngineKit
import EntityRuntime
import EventSourcing
import Logging
import Synchronization
import TextSearch

// How the index follows the chats.
extension SearchService {
  /// A chat has begun, somebody has said something in it, or it is gone. Quick: it is called for each line.
  func touched(_ serviceID: String) {
    guard isEnabled, agenda.withLock({ $0.note(serviceID) }) else { return }
    // What else comes in a moment is looked at together.
    _ = context.timers.schedule(afterMilliseconds: limits.searchPauseMilliseconds) { [caller] in caller.yield() }
  }

  /// All chats are there: they are to be looked at, beside whatever else goes on.
  func beginRestoring() {
    agenda.withLock { $0.beginRestoring() }
    caller.yield()
  }

  /// Does what is to be done, until `finish`. Waits for nothing that has to be ended for it to end: for the texts of a few
  /// chats at most.
  func run() async {
    guard isEnabled else { return }
    for await _ in calls {
      while let job = agenda.withLock({ $0.next(maximum: limits.searchChatsAtOnce) }) {
        switch job {
        case .look(let keys): await look(at: keys)
        case .restore(let place): await restore(before: place)
        }
        await tidy()
      }
    }
  }

  func finish() {
    agenda.withLock { $0.finish() }
    caller.finish()
  }

  /// Nothing that has happened is still to be looked at.
  package var isSettled: Bool { !isEnabled || agenda.withLock { $0.isEmpty } }

  // MARK: Reading chats

  private struct Reading: Sendable {
    let key: String
    /// What was known of the chat when it was read.
    let mark: TextOwners.Mark?
    /// Nil: it is gone.
    let texts: SearchedTexts?
  }

  private func restore(before place: ChatPlace?) async {
    if state.withLock({ $0.index.hasLostTexts || $0.index.isFull }) { return agenda.withLock { $0.cutShort() } }
    var query = AgentListQuery(.all)
    query.order = .newest
    let everybody = AgentViewer(id: "", isSupervisor: true)
    let page = chats.index.find(query, for: everybody, after: place, limit: limits.searchChatsAtOnce)
    await look(at: page.places.compactMap { chats.index.service(ofSession: $0.chatID) })
    agenda.withLock { $0.restored(to: page.hasMore ? page.places.last : nil) }
  }

  private func look(at keys: [String]) async {
    let maximum = limits.searchLinesAtOnce
    var awake: [Reading] = []
    var asleep: [(key: String, mark: TextOwners.Mark?, place: StatePlace)] = []
    for key in keys {
      let mark = state.withLock { $0.owners.mark(of: key) }
      if let place = chats.directory.place(ofSleeping: key) {
        asleep.append((key, mark, place))
      } else {
        let texts = await chats.directory.peek(key, isUse: false) {
          SearchedTexts($0, after: mark?.through, maximum: maximum)
        }
        awake.append(Reading(key: key, mark: mark, texts: texts))
      }
    }
    let (readings, sleeping) = (awake, asleep)
    let isQuick = sleeping.isEmpty && readings.reduce(0) { $0 + ($1.texts?.byteCount ?? 0) } < Self.quickBytes
    if isQuick { return take(readings) }
    await journal.onThread { [self] in
      take(readings)
      for (key, mark, place) in sleeping {
        guard let texts = texts(ofSleeping: key, at: place, after: mark?.through) else { continue }
        take([Reading(key: key, mark: mark, texts: texts)])
      }
    }
  }

  /// Texts of so few bytes are taken up in less than it takes to make a thread.
  private static var quickBytes: Int { 8_192 }

  /// Nil if the state cannot be read: whoever needs the chat finds out.
  private func texts(ofSleeping key: String, at place: StatePlace, after lines: UInt32?) -> SearchedTexts? {
    do {
      let chat = try ChatSession(stateBytes: EntityImage(bytes: place.image()).state)
      return SearchedTexts(chat, after: lines, maximum: limits.searchLinesAtOnce)
    } catch {
      logger.warning("a sleeping chat is not found by its texts", metadata: ["reason": "\(error)"])
      return nil
    }
  }

  private func take(_ readings: [Reading]) {
    for reading in readings {
      let words = reading.texts?.texts.map { TextWords(of: $0.text) } ?? []
      let isTaken = state.withLock { $0.take(reading.key, since: reading.mark, reading.texts, words) }
      if !isTaken || reading.texts?.hasMore == true { touched(reading.key) }
    }
  }

  // MARK: Tidying

  private func tidy() async {
    while !agenda.withLock({ $0.isFinished }), let due = state.withLock({ $0.index.dueTidying() }) {
      await perform(due)
    }
  }

  private func perform(_ tidying: TextTidying) async {
    let result = await journal.onThread { tidying.perform() }
    state.withLock { state in
      state.index.adopt(result)
      state.freeNumbers()
    }
  }

  // MARK: Erasure

  /// Takes the words of chats out of memory that have been erased; what is said in them later is found again. Does not
  /// need `run`.
  func erase(_ keys: Set<String>) async {
    guard isEnabled else { return }
    var numbers: Set<UInt32> = []
    for key in keys.sorted() {
      guard let lines = await chats.directory.peek(key, { UInt32(clamping: $0.lineCount) }) else { continue }
      if let number = state.withLock({ $0.erase(key, through: lines) }) { numbers.insert(number) }
    }
    while let due = state.withLock({ $0.index.dueTidying(of: numbers) }) { await perform(due) }
  }
}

extension SearchService.State {
  /// Takes up what was read of a chat.
  /// - Parameters:
  ///   - mark: what was known when it was read.
  ///   - texts: nil: it is gone.
  ///   - words: of each of the texts.
  /// - Returns: false if something else has become of the chat meanwhile: it has to be read again.
  fileprivate mutating func take(
    _ key: String, since mark: TextOwners.Mark?, _ texts: SearchedTexts?, _ words: [TextWords]
  ) -> Bool {
    guard owners.mark(of: key) == mark else { return false }
    guard let texts else {
      if let number = owners.remove(key) { index.remove([number]) }
      freeNumbers()
      return true
    }
    guard texts.through > 0 else { return true }
    let number = owners.note(key, through: texts.through)
    for (text, words) in zip(texts.texts, words) {
      index.add(words, at: TextPlace(seconds: text.seconds, owner: number, number: text.number))
    }
    return true
  }

  /// - Returns: the number under which the chat was known until now.
  fileprivate mutating func erase(_ key: String, through lines: UInt32) -> UInt32? {
    let number = owners.remove(key)
    if lines > 0 { owners.note(key, through: lines) }
    guard let number else { return nil }
    index.remove([number])
    freeNumbers()
    return number
  }

  fileprivate mutating func freeNumbers() {
    for number in index.takeFreed() { owners.free(number) }
  }
}
