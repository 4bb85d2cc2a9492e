public import EngineKit
import EntityRuntime
import EventSourcing
import PushDomain
import Synchronization

/// A connection of an app server. `deliver` gets messages of devices (`Mail.origin` is the registration token) and
/// receipts (`Mail.receiptFor` is the original id, `Mail.id` begins with `dr2:`).
public protocol AppServerLink: MailLink {
  /// Messages that were delivered here and not acknowledged yet.
  var pendingCount: Int { get }
}

/// App servers' live connections, and what devices have sent them. Spec: GCM C9-C16.
///
/// A message goes to one of the sender's connections. It waits in the sender's mailbox until that connection has
/// acknowledged it; if the connection ends first, another one gets it, now or later.
public final class AppServerGateway: Sendable {
  let queues: EntityDirectory<PushQueue>
  let context: RuntimeContext
  let limits: EngineLimits
  let links: AppServerLinks

  init(queues: EntityDirectory<PushQueue>, context: RuntimeContext, limits: EngineLimits, links: AppServerLinks) {
    self.queues = queues
    self.context = context
    self.limits = limits
    self.links = links
  }

  /// One more connection of this sender. Messages of its devices and receipts go to one of its links each.
  /// - Throws: `.limitReached("ccs_connections")`, `.unavailable`.
  public func attach(_ link: any AppServerLink, sender: String) async throws(EngineError) {
    switch links.insert(link, sender, maximum: limits.appServersMaximum) {
    case .inserted: feed(sender)
    case .full: throw .limitReached("ccs_connections")
    case .closed: throw .unavailable
    }
  }

  /// The app server has acknowledged this message on this link; anything else it says changes nothing. Any thread;
  /// returns at once. Spec: GCM C11.
  public func acknowledge(_ id: String, sender: String, link: any AppServerLink) {
    guard let isStored = links.isStored(id, sender, link) else { return }
    guard isStored else { return release([id], sender) }
    lane(of: sender).enqueue { [self] in
      // What was erased, or is over, ends no more.
      guard let queue = queues[MailboxKey.sender(sender)], await queue.peek({ $0.mail.contains(id) }) else {
        return release([id], sender)
      }
      await queue.post(.acknowledge([id]))
    }
  }

  /// The connection is gone. Any thread; returns at once.
  public func detach(_ link: any AppServerLink, sender: String) { if links.remove(link, sender) { feed(sender) } }

  /// App servers that are connected.
  public var connectionCount: Int { links.count }

  // MARK: For the engine

  /// Takes a message for the sender's app servers.
  func store(_ mail: Mail) async -> UpstreamOutcome {
    guard let queue = queues.entity(MailboxKey.sender(mail.sender), limit: limits.pushQueuesMaximum) else {
      return .unavailable
    }
    // An app server has another message under this id in its hands: its acknowledgement must not be taken for this one's.
    let isOthers = links.isHeld(mail.id, mail.sender)
    let now = context.time.now
    let isKnown = isOthers ? await queue.peek { $0.mail.hasTaken(mail, now: now) } : true
    let mail = isKnown ? mail : mail.besideTwin
    do {
      let isStored = try await queue.perform(.store(mail, receiver: .absent, limits: .upstream)) { queue in
        queue.mail.hasTaken(mail, now: now)
      }
      return isStored ? .accepted : .refused(reason: "QUOTA_EXCEEDED")
    } catch { return .unavailable }
  }

  /// As `store`, for one that nobody waits for.
  func post(_ mail: Mail) async {
    let queue = queues.entity(MailboxKey.sender(mail.sender), limit: limits.pushQueuesMaximum)
    await queue?.post(.store(mail, receiver: .absent, limits: .upstream))
  }

  /// Writes a message that is never stored to some connection, if there is one with room.
  func deliverNow(_ mail: Mail) { links.assign(mail, mail.sender, limits.appServerPendingMaximum)?.deliver(mail) }

  /// A message is in the sender's mailbox.
  func stored(_ mail: Mail, for sender: String) {
    links.assign(mail, sender, limits.appServerPendingMaximum)?.deliver(mail)
  }

  /// Messages have left the sender's mailbox: whoever has acknowledged them has room again. What is over otherwise stays
  /// unacknowledged on its connection.
  func ended(_ mails: [EndedMail], _ ending: MailEnding, for sender: String) {
    let ids = mails.map(\.id)
    if ending == .acknowledged { release(ids, sender) } else { links.outlived(ids, sender) }
  }

  func drainAll() { for link in links.close() { link.close(.draining) } }

  private func release(_ ids: [String], _ sender: String) { if links.release(ids, sender) { feed(sender) } }

  private func feed(_ sender: String) { lane(of: sender).enqueue { [self] in await feedNow(sender) } }

  /// In the journal's order: what has been acknowledged by then is not given to anybody else.
  private func feedNow(_ sender: String) async {
    guard let queue = queues[MailboxKey.sender(sender)] else { return }
    do {
      try await queue.read({ $0.mail.pending }) { pending in
        self.links.beginFeeding(sender)
        for mail in pending { self.stored(mail, for: sender) }
      }
    } catch {
      // The journal has no room at the moment.
      _ = context.timers.schedule(afterMilliseconds: context.limits.storageRetryMilliseconds) { [self] in feed(sender) }
    }
  }

  private func lane(of sender: String) -> Lane { context.lanes[sender.hashValue] }
}

/// Which app servers are connected, and which of them has which message in its hands.
final class AppServerLinks: Sendable {
  private struct Connected {
    let link: any AppServerLink
    var messages: Set<String> = []
  }

  private struct Sender {
    var links: [ObjectIdentifier: Connected] = [:]
    /// Which of them has a message.
    var holders: [String: Holder] = [:]
    /// A message found no connection with room.
    var isStarved = false
  }

  private struct Holder {
    let link: ObjectIdentifier
    /// It waits in the mailbox until it is acknowledged.
    let isStored: Bool
  }

  private struct State {
    var senders: [String: Sender] = [:]
    var isClosed = false
  }

  enum Insertion { case inserted, full, closed }

  private let state = Mutex(State())

  init() {}

  var count: Int { state.withLock { $0.senders.values.reduce(0) { $0 + $1.links.count } } }

  func insert(_ link: any AppServerLink, _ sender: String, maximum: Int) -> Insertion {
    state.withLock { state in
      guard !state.isClosed else { return .closed }
      guard (state.senders[sender]?.links.count ?? 0) < maximum else { return .full }
      state.senders[sender, default: Sender()].links[ObjectIdentifier(link)] = Connected(link: link)
      return .inserted
    }
  }

  /// - Returns: true if it had messages that another one is to get.
  func remove(_ link: any AppServerLink, _ sender: String) -> Bool {
    state.withLock { state in
      guard let removed = state.senders[sender]?.links.removeValue(forKey: ObjectIdentifier(link)) else { return false }
      for id in removed.messages { state.senders[sender]?.holders[id] = nil }
      if state.senders[sender]?.links.isEmpty == true { state.senders[sender] = nil }
      return !removed.messages.isEmpty && state.senders[sender] != nil
    }
  }

  /// Chooses the connection with the least to do; nil if nobody has room, or somebody has the message already.
  func assign(_ mail: Mail, _ sender: String, _ maximum: Int) -> (any AppServerLink)? {
    state.withLock { state in
      guard let known = state.senders[sender], !state.isClosed else { return nil }
      if let holder = known.holders[mail.id] {
        // What it has there is over: this one follows once that is acknowledged.
        if !holder.isStored { state.senders[sender]?.isStarved = true }
        return nil
      }
      let free = known.links.filter { $0.value.messages.count < maximum }
      guard let (key, chosen) = free.min(by: { $0.value.messages.count < $1.value.messages.count }) else {
        state.senders[sender]?.isStarved = true
        return nil
      }
      state.senders[sender]?.links[key]?.messages.insert(mail.id)
      state.senders[sender]?.holders[mail.id] = Holder(link: key, isStored: !mail.isNowOrNever)
      return chosen.link
    }
  }

  /// - Returns: nil if this link was not given the message.
  func isStored(_ id: String, _ sender: String, _ link: any AppServerLink) -> Bool? {
    state.withLock { state in
      guard let holder = state.senders[sender]?.holders[id], holder.link == ObjectIdentifier(link) else { return nil }
      return holder.isStored
    }
  }

  func isHeld(_ id: String, _ sender: String) -> Bool { state.withLock { $0.senders[sender]?.holders[id] != nil } }

  /// These messages are not in the mailbox any more; their acknowledgement, if it comes, is about nothing there.
  func outlived(_ ids: [String], _ sender: String) {
    state.withLock { state in
      for id in ids {
        if let holder = state.senders[sender]?.holders[id] {
          state.senders[sender]?.holders[id] = Holder(link: holder.link, isStored: false)
        }
      }
    }
  }

  /// Nobody has these messages any more.
  /// - Returns: true if another one found no connection with room before.
  func release(_ ids: [String], _ sender: String) -> Bool {
    state.withLock { state in
      for id in ids {
        guard let holder = state.senders[sender]?.holders.removeValue(forKey: id) else { continue }
        state.senders[sender]?.links[holder.link]?.messages.remove(id)
      }
      return state.senders[sender]?.isStarved ?? false
    }
  }

  func beginFeeding(_ sender: String) { state.withLock { $0.senders[sender]?.isStarved = false } }

  func close() -> [any AppServerLink] {
    state.withLock { state in
      state.isClosed = true
      return state.senders.values.flatMap { $0.links.values.map(\.link) }
    }
  }
}
