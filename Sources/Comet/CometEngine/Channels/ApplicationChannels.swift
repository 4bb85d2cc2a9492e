package import Bayeux
import EngineKit
import EntityRuntime
import EventSourcing
import Synchronization

/// Application channels: whom the configuration lets publishes, and whoever is subscribed gets it, once and live.
///
/// ```
///  client  ─> CometGateway ─┐              ┌─> lanes ─> CometSession (each with the same bytes)
///  handler ─────────────────┼─> registry ──┤
///  back end ────────────────┘   (a lock)   └─> those who listen
/// ```
/// The registry decides, this performs. Nothing of it is journalled but the sessions' own subscriptions, with which they
/// come back after a restart. The lock is held for a look or a change; nothing is delivered under it.
public final class ApplicationChannels: Sendable {
  private struct State {
    var rules: ChannelRules
    var registry: ChannelRegistry
    var sessions: [ChannelMember: CometSession] = [:]
    var members: [ObjectIdentifier: ChannelMember] = [:]
    var lastMember: UInt64 = 0
    var isSweepArmed = false
    /// Sessions that have got lazy messages since the timer was set; empty while none runs.
    var lazy: [ObjectIdentifier: CometSession] = [:]
    var handlers: [(pattern: String, handle: Handler)] = []
  }

  package let limits: ChannelLimits
  private let context: RuntimeContext
  let metrics = ChannelMetrics()
  private let tap: EventTap<ChannelNews>
  private let state: Mutex<State>
  /// Both spare whoever has nothing to do with application channels the lock.
  private let isOpen: Atomic<Bool>
  private let memberCount = Atomic<Int>(0)

  init(_ rules: ChannelRules, limits: ChannelLimits, context: RuntimeContext) {
    self.limits = limits
    self.context = context
    tap = EventTap(followersMaximum: limits.followersMaximum, waitingMaximum: limits.eventsWaitingMaximum)
    state = Mutex(State(rules: rules, registry: ChannelRegistry(limits: limits)))
    isOpen = Atomic(!rules.isEmpty)
  }

  /// The configuration opens some.
  var hasRules: Bool { isOpen.load(ordering: .acquiring) }

  // MARK: Subscriptions

  /// Of the channels that a client names, those that it may subscribe to.
  func open(_ wanted: [String]?, to session: CometSession) -> Set<String> {
    guard hasRules, let wanted else { return [] }
    let rules = state.withLock { $0.rules }
    return Set(wanted.filter { rules.maySubscribe(to: $0, session.standing) })
  }

  /// Of the channels that a client names, those that there are.
  func known(_ wanted: [String]?) -> Set<String> {
    guard hasRules, let wanted else { return [] }
    return state.withLock { state in Set(wanted.filter { state.registry.isKnown($0) }) }
  }

  /// Enters those of the session's new subscriptions that are to application channels; the first that finds no room, and
  /// all behind it, are not taken. One to a service channel succeeds and is none. Spec: Bayeux reference, 3 and 8.
  func join(_ session: CometSession, _ outcome: ChannelPolicy.Outcome) -> ChannelPolicy.Outcome {
    guard hasRules, !outcome.channels.isEmpty else { return outcome }
    var joined = ChannelPolicy.Outcome(error: outcome.error)
    change { state in
      for channel in outcome.channels {
        if state.rules.maySubscribe(to: channel, session.standing) {
          if ChannelName.isService(channel) { continue }
          do throws(BayeuxError) {
            try perform(.subscribe(enrol(session, in: &state), to: channel), in: &state)
          } catch {
            joined.error = error
            return
          }
        }
        joined.channels.append(channel)
      }
    }
    return joined
  }

  func part(_ session: CometSession, _ channels: [String]) {
    change { state in
      guard let member = state.members[ObjectIdentifier(session)] else { return }
      // One that there is not is one that it is not subscribed to.
      for channel in channels { try? perform(.unsubscribe(member, from: channel), in: &state) }
    }
  }

  /// Enters what a session's record has, as the rules are now: after a restart, or when other rules are in force.
  func rejoin(_ session: CometSession, _ channels: [String]) {
    guard hasRules, !channels.isEmpty else { return }
    change { state in
      for channel in channels where state.rules.maySubscribe(to: channel, session.standing) {
        // Where there is no room any more, it gets nothing until it subscribes anew.
        try? perform(.subscribe(enrol(session, in: &state), to: channel), in: &state)
      }
    }
  }

  /// The session has ended.
  func leave(_ session: CometSession) {
    guard memberCount.load(ordering: .acquiring) > 0 else { return }
    change { state in
      guard let member = state.members[ObjectIdentifier(session)] else { return }
      try? perform(.leave(member), in: &state)
      state.members[ObjectIdentifier(session)] = nil
      state.sessions[member] = nil
      state.lazy[ObjectIdentifier(session)] = nil
      memberCount.subtract(1, ordering: .releasing)
    }
  }

  /// Other rules are in force: whoever may not be subscribed any more is not. - Returns: whether they are others.
  func replace(_ rules: ChannelRules) -> Bool {
    var areOthers = false
    change { state in
      areOthers = state.rules != rules
      guard areOthers else { return }
      state.rules = rules
      isOpen.store(!rules.isEmpty, ordering: .releasing)
      for (member, session) in state.sessions {
        for channel in state.registry.subscriptions(of: member)
        where !rules.maySubscribe(to: channel, session.standing) {
          try? perform(.unsubscribe(member, from: channel), in: &state)
        }
      }
    }
    return areOthers
  }

  // MARK: Publishing

  /// The reply to what a client publishes; nil if it may not be published there.
  func published(_ message: BayeuxMessage, by session: CometSession, on exchange: CometExchange) async -> [UInt8]? {
    guard hasRules, let channel = message.channel else { return nil }
    guard let party = publisher(session, on: channel) else { return nil }
    guard max(message.data?.count ?? 0, message.ext?.count ?? 0) <= limits.messageBytesMaximum else {
      return BayeuxReply.failure(to: message, error: .messageTooLarge(limit: limits.messageBytesMaximum))
    }
    // What comes of it is to leave with the answer, not to wake the connect. Spec: Bayeux 1.0, "Delivery".
    await session.begin(exchange)
    let original = PublishedMessage(
      channel: channel, data: message.data ?? Array("null".utf8), ext: BayeuxEvent.shared(ext: message.ext),
      publisher: party)
    guard let (passed, answers) = await heard(original) else {
      return BayeuxReply.failure(to: message, error: .messageDeleted)
    }
    do throws(BayeuxError) {
      let (event, receivers) = try spread(passed)
      let others = receivers.filter { $0 !== session }
      deliver(event, to: others)
      if others.count < receivers.count { await session.deliver(event) }
    } catch {
      return BayeuxReply.failure(to: message, error: error)
    }
    for answer in answers {
      await session.deliver(QueuedMessage(bytes: BayeuxEvent.message(channel: channel, data: answer), mark: nil))
    }
    return BayeuxReply.published(to: message)
  }

  /// Why something that a back end publishes goes to nobody.
  package enum Refusal: Error, Equatable {
    /// No rule opens the channel, or it is none.
    case notOpen
    case tooLarge(limit: Int)
    case tooManyChannels(limit: Int)
    /// What is said on a service channel is said to one session.
    case needsMember
    case unknownMember
    /// What is said on any other is said to all.
    case goesToAll
  }

  /// Publishes for a back end. Any thread; returns before anybody has got it.
  /// - Parameters:
  ///   - data: JSON text.
  ///   - member: the one session that gets it, on a service channel; nil on all others.
  /// - Returns: to how many sessions it goes.
  @discardableResult
  package func publish(
    _ data: [UInt8], on channel: String, to member: ChannelMember? = nil
  ) throws(Refusal) -> Int {
    guard ChannelName.isValid(channel), state.withLock({ $0.rules.isOpen(channel) }) else { throw .notOpen }
    guard data.count <= limits.messageBytesMaximum else { throw .tooLarge(limit: limits.messageBytesMaximum) }
    if ChannelName.isService(channel) {
      guard let member else { throw .needsMember }
      guard let session = state.withLock({ $0.sessions[member] }) else { throw .unknownMember }
      deliver(QueuedMessage(bytes: BayeuxEvent.message(channel: channel, data: data), mark: nil), to: [session])
      return 1
    }
    guard member == nil else { throw .goesToAll }
    do throws(BayeuxError) {
      let (event, receivers) = try spread(PublishedMessage(channel: channel, data: data, ext: nil, publisher: nil))
      deliver(event, to: receivers)
      return receivers.count
    } catch {
      throw .tooManyChannels(limit: limits.channelsMaximum)
    }
  }

  /// From now on `handler` hears what clients publish on a channel, or on all that a pattern covers: patterns before
  /// channels, wider ones first. The configuration has to open the channel all the same.
  public func handle(_ pattern: String, _ handler: @escaping Handler) {
    precondition(ChannelName.isValidPattern(pattern), "A handler is of a channel or of a pattern of them.")
    state.withLock { $0.handlers.append((pattern, handler)) }
  }

  private func publisher(_ session: CometSession, on channel: String) -> ChannelParty? {
    state.withLock { state in
      guard state.rules.mayPublish(to: channel, session.standing) else { return nil }
      return session.party(enrol(session, in: &state))
    }
  }

  /// What handlers make of it; nil if one has refused it.
  private func heard(_ original: PublishedMessage) async -> (PublishedMessage, answers: [[UInt8]])? {
    let handlers = state.withLock { $0.handlers }
    guard !handlers.isEmpty else { return (original, []) }
    var (message, answers) = (original, [[UInt8]]())
    for name in ChannelName.subscriptions(covering: original.channel).reversed() {
      for (pattern, handle) in handlers where pattern == name {
        switch await handle(message) {
        case .passes: break
        case .replaced(let data): message.data = data
        case .answered(let more): answers += more
        case .refused: return nil
        }
      }
    }
    return (message, answers)
  }

  /// Makes the event, once, and finds those who get it. What is said on a service channel goes to no client.
  private func spread(_ message: PublishedMessage) throws(BayeuxError) -> (QueuedMessage, [CometSession]) {
    let isService = ChannelName.isService(message.channel)
    var (isLazy, receivers, refusal) = (false, [CometSession](), BayeuxError?.none)
    change { state in
      if !isService {
        do throws(BayeuxError) { try perform(.publish(on: message.channel), in: &state) } catch {
          refusal = error
          return
        }
        isLazy = state.rules.isLazy(message.channel)
        receivers = state.registry.receivers(of: message.channel).compactMap { state.sessions[$0] }
      }
      note(.message, message.channel, message.publisher, message.data, message.ext)
    }
    if let refusal { throw refusal }
    metrics.published(to: receivers.count)
    if isLazy { remindLater(receivers) }
    let bytes = BayeuxEvent.message(channel: message.channel, data: message.data, ext: message.ext)
    return (QueuedMessage(bytes: bytes, mark: nil, isLazy: isLazy), receivers)
  }

  /// In a few jobs rather than one for each: but not all in one, for others want their turn.
  private func deliver(_ message: QueuedMessage, to sessions: [CometSession]) {
    onLanes(sessions) { await $0.deliver(message) }
  }

  private func onLanes(_ sessions: [CometSession], _ act: @escaping @Sendable (CometSession) async -> Void) {
    guard sessions.count > 1 else {
      if let session = sessions.first { session.lane.enqueue { await act(session) } }
      return
    }
    for own in Dictionary(grouping: sessions, by: { ObjectIdentifier($0.lane) }).values {
      let jobs = stride(from: 0, to: own.count, by: limits.deliveriesAtOnce).map { start -> Lane.Job in
        let some = own[start..<min(start + limits.deliveriesAtOnce, own.count)]
        return { for session in some { await act(session) } }
      }
      own.first?.lane.enqueue(contentsOf: jobs)
    }
  }

  // MARK: Looking on

  /// Every channel and pattern that there is, with how many are subscribed to just it.
  package var all: [(name: String, subscribers: Int)] { state.withLock { $0.registry.channels } }

  /// Who gets what is published on a channel, through whatever subscription; nil if no rule opens it.
  package func audience(of channel: String) -> [ChannelParty]? {
    state.withLock { state in
      guard ChannelName.isValid(channel), state.rules.isOpen(channel) else { return nil }
      return state.registry.receivers(of: channel).compactMap { member in
        state.sessions[member].map { $0.party(member) }
      }
    }
  }

  /// What happens from now on: on all channels, or on those that a pattern covers. Nil if too many listen.
  package func follow(_ pattern: String?) -> AsyncStream<ChannelNews>? {
    tap.follow { news in pattern.map { ChannelName.covers(pattern: $0, subscription: news.channel) } ?? true }
  }

  /// Ends whoever listens: the server stops.
  func finish() { tap.finish() }

  // MARK: Under the lock

  /// The one way to the registry: what it has to be swept for is noticed here.
  private func change(_ body: (inout State) -> Void) {
    let armsSweep = state.withLock { state in
      body(&state)
      guard state.registry.needsSweep, !state.isSweepArmed else { return false }
      state.isSweepArmed = true
      return true
    }
    if armsSweep { sweepLater() }
  }

  private func perform(_ command: ChannelRegistry.Command, in state: inout State) throws(BayeuxError) {
    for event in try state.registry.decide(command) {
      state.registry.evolve(event)
      switch event {
      case .joined(let channel, let member): note(.joined, channel, state.sessions[member].map { $0.party(member) })
      case .left(let channel, let member): note(.left, channel, state.sessions[member].map { $0.party(member) })
      case .opened, .renewed, .swept: break
      }
    }
  }

  private func enrol(_ session: CometSession, in state: inout State) -> ChannelMember {
    if let member = state.members[ObjectIdentifier(session)] { return member }
    state.lastMember += 1
    let member = ChannelMember(rawValue: state.lastMember)
    state.members[ObjectIdentifier(session)] = member
    state.sessions[member] = session
    memberCount.add(1, ordering: .releasing)
    return member
  }

  /// Whoever listens is told in the order in which it happens: hence under the lock, where the tap's own is the only one
  /// that is taken.
  private func note(
    _ kind: ChannelNews.Kind, _ channel: String, _ party: ChannelParty?, _ data: [UInt8]? = nil, _ ext: [UInt8]? = nil
  ) {
    tap.note {
      ChannelNews(at: context.time.now, kind: kind, channel: channel, party: party, data: data, ext: ext)
    }
  }

  // MARK: Clocks

  /// One timer for all lazy messages: those that come while it runs leave with the first, which is before their own time.
  private func remindLater(_ sessions: [CometSession]) {
    guard !sessions.isEmpty else { return }
    let isFirst = state.withLock { state in
      defer { for session in sessions { state.lazy[ObjectIdentifier(session)] = session } }
      return state.lazy.isEmpty
    }
    guard isFirst else { return }
    _ = context.timers.schedule(afterMilliseconds: Int64(limits.lazyMilliseconds)) { [weak self] in self?.remind() }
  }

  private func remind() {
    let sessions = state.withLock { state in
      defer { state.lazy = [:] }
      return Array(state.lazy.values)
    }
    onLanes(sessions) { await $0.lazyElapsed() }
  }

  private func sweepLater() {
    _ = context.timers.schedule(afterMilliseconds: limits.sweepMilliseconds) { [weak self] in
      self?.change { state in
        state.isSweepArmed = false
        try? self?.perform(.sweep, in: &state)
      }
    }
  }
}
