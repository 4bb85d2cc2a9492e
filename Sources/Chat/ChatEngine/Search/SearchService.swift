import ChatDomain
public import EngineKit
import EntityRuntime
import EventSourcing
import Logging
import OptionKit
import Synchronization
import TextSearch

/// Finds chats by what was said in them, by their subjects and their customers' names.
///
/// ```
///   a chat has news ─┐
///                    ├─> agenda ─> its texts are read ─> index ─> tidied
///   a start ─────────┘   (newest chats first)              └──> whoever searches has a copy
/// ```
/// The index is in memory alone, and follows the chats by itself: none of them, nor the outbox, waits for it. After a
/// restart it is made anew beside the running service. Erasure takes words out of it before it is done.
public final class SearchService: Sendable {
  struct State {
    var index: TextIndex
    var owners = TextOwners()
    /// Searches that run.
    var searches = 0
  }

  let chats: ChatService
  let isEnabled: Bool
  let context: RuntimeContext
  let journal: JournalHolder
  let logger: Logger
  let state: Mutex<State>
  let agenda = Mutex(SearchAgenda())
  /// Says that there is something to do; ends with the service.
  let calls: AsyncStream<Void>
  let caller: AsyncStream<Void>.Continuation

  var limits: EngineLimits { chats.limits }

  init(_ partitions: Partitions, chats: ChatService) {
    self.chats = chats
    context = partitions.context
    journal = partitions.all[0].journal
    logger = partitions.logger
    isEnabled = chats.options.current[SearchOptions.keys.isEnabled]
    state = Mutex(State(index: TextIndex(limits: TextSearchLimits(bytesMaximum: chats.limits.searchBytesMaximum))))
    (calls, caller) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
  }

  /// The newest texts that have all words of `text`, in chats that somebody sees; of the last word a beginning is enough.
  /// - Parameters:
  ///   - limit: at most so many; `EngineLimits.searchHitsMaximum` caps it.
  ///   - cursor: `SearchPage.next` of the page before.
  /// - Throws: `.invalid` with the field `q` or `cursor`, `.refused(SearchRefusal.isOff)`, `.limitReached`, `.unavailable`.
  public func find(
    _ text: String, limit: Int, after cursor: String? = nil, for viewer: AgentViewer
  ) async throws(EngineError) -> SearchPage {
    guard isEnabled else { throw .refused(SearchRefusal.isOff) }
    let query: TextQuery
    do throws(TextQuery.Flaw) { query = try TextQuery(text) } catch {
      throw .invalid(field: "q", reason: error.reason)
    }
    let place = try cursor.map { text throws(EngineError) in
      guard let cursor = SearchCursor(text) else { throw .invalid(field: "cursor", reason: SearchPage.noCursor) }
      return self.place(of: cursor)
    }
    let limit = max(1, min(limit, limits.searchHitsMaximum))
    let isAdmitted = state.withLock { state in
      guard state.searches < limits.searchesMaximum else { return false }
      state.searches += 1
      return true
    }
    guard isAdmitted else { throw .limitReached("searches") }
    defer { state.withLock { $0.searches -= 1 } }
    let gap = gap
    // A broad one takes some time of a processor, which nothing else is to wait for.
    let places = await journal.onThread { [self] in
      let index = state.withLock { $0.index }
      return index.find(query, before: place, limit: limit + 1) { isSeen($0, by: viewer) }
    }
    let hits = await hits(at: places.prefix(limit), query, for: viewer)
    do throws(EventLogError) { try await context.untilDurable() } catch {
      throw error == .failed ? .unavailable : .limitReached("journal")
    }
    return SearchPage(
      hits: hits, next: places.count > limit ? self.cursor(behind: places[limit - 1])?.text : nil, gap: gap)
  }

  private var gap: SearchPage.Gap? {
    if agenda.withLock({ $0.isCutShort }) || state.withLock({ $0.index.hasLostTexts }) { return .full }
    return agenda.withLock { $0.isRestored } ? nil : .building
  }

  /// As the lists have it, which may be a moment behind what the chat says.
  private func isSeen(_ owner: UInt32, by viewer: AgentViewer) -> Bool {
    guard let serviceID = state.withLock({ $0.owners.key(of: owner) }) else { return false }
    return chats.index.audience(of: serviceID).map(viewer.sees) ?? false
  }

  /// What the chats themselves say at these places, in their order: each chat is looked at once, where it lies.
  private func hits(
    at places: ArraySlice<TextPlace>, _ query: TextQuery, for viewer: AgentViewer
  ) async -> [SearchHit] {
    var found: [TextPlace: SearchHit] = [:]
    let clipBytes = limits.searchClipBytes
    for (owner, places) in Dictionary(grouping: places, by: \.owner) {
      guard let serviceID = state.withLock({ $0.owners.key(of: owner) }) else { continue }
      let hits = await chats.directory.peek(serviceID) { chat in
        viewer.sees(AgentAudience(chat)) ? places.map { SearchHit(chat, $0.number, query, clipBytes: clipBytes) } : []
      }
      for (place, hit) in zip(places, hits ?? []) { found[place] = hit }
    }
    return places.compactMap { found[$0] }
  }

  // MARK: Going on

  private func cursor(behind place: TextPlace) -> SearchCursor? {
    guard let serviceID = state.withLock({ $0.owners.key(of: place.owner) }),
      let chatID = chats.index[serviceID]?.chatSessionID
    else { return nil }
    return SearchCursor(seconds: place.seconds, number: place.number, chatID: chatID)
  }

  /// Of a chat that is gone: behind all that was said in the same second may be something twice.
  private func place(of cursor: SearchCursor) -> TextPlace {
    let serviceID = chats.index.service(ofSession: cursor.chatID)
    let owner = serviceID.flatMap { key in state.withLock { $0.owners.mark(of: key)?.number } }
    return TextPlace(seconds: cursor.seconds, owner: owner ?? .max, number: cursor.number)
  }
}

extension SearchPage {
  static var noCursor: String { ListPage<SearchHit>.noCursor }
}

extension TextQuery.Flaw {
  fileprivate var reason: String {
    switch self {
    case .tooLong: "is longer than \(TextSearchLimits.queryBytesMaximum) bytes"
    case .noWord: "has no word"
    case .tooManyWords: "has more than \(TextSearchLimits.queryWordsMaximum) words"
    }
  }
}
