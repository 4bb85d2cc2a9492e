import EngineKit
import EntityRuntime
import EventSourcing
import PushDomain
import Synchronization

/// Devices' live connections: login, delivery, acknowledgement, idleness, upstream messages. Spec: GCM D6-D9.
///
/// ```
///   logIn ──> known, not ready ──drain──> ready: what is stored, then what comes ──detach──> absent
/// ```
/// A connection knows what it has written; the mailbox knows what has not been acknowledged. What both have is not
/// written twice, whatever way it comes.
public final class DeviceGateway: Sendable {
  /// Where devices of our own making find it over HTTP.
  package static let socketPath = "/device/1/socket"

  let installations: InstallationService
  let queues: EntityDirectory<PushQueue>
  package let upstream: AppServerGateway
  let context: RuntimeContext
  let limits: EngineLimits
  let tap: MessageTap
  let throttle: CollapseThrottle?
  let links = DeviceLinks()

  init(
    installations: InstallationService, queues: EntityDirectory<PushQueue>, upstream: AppServerGateway,
    context: RuntimeContext, limits: EngineLimits, tap: MessageTap, throttle: CollapseThrottle?
  ) {
    self.installations = installations
    self.queues = queues
    self.upstream = upstream
    self.context = context
    self.limits = limits
    self.tap = tap
    self.throttle = throttle
  }

  /// A device logs in. An older connection of the same device is closed.
  /// - Parameter received: persistent ids that the device has, of which it is not sure that we know. Spec: GCM D8.4.
  /// - Throws: `.unauthenticated`, `.unavailable`.
  public func logIn(_ credentials: InstallationCredentials, received: [String], link: any MailLink)
    async throws(InstallationFailure)
  {
    _ = try await installations.authenticated(credentials)
    guard !links.isClosed else { throw .unavailable }
    // The answer confirms the login, and the device forgets them then.
    if !received.isEmpty { await performDurably(.acknowledge(received), by: credentials.id) }
    links.insert(link, credentials.id)?.close(.replaced)
    // The server may have begun to stop meanwhile.
    if links.isClosed { link.close(.draining) }
  }

  /// Hands over what is stored, to a link that has logged in and told its client so; from then on what comes, too. Any
  /// thread; returns at once.
  public func drain(_ id: InstallationID, link: any MailLink) {
    lane(of: id).enqueue { [self] in await deliverStored(to: id) { self.links.makeReady(link, id) } }
  }

  /// The device says over its connection that it has these messages. Any thread; returns at once.
  public func acknowledge(_ ids: [String], by id: InstallationID) {
    lane(of: id).enqueue { [queues] in _ = await queues[MailboxKey.device(id)]?.post(.confirm(ids)) }
  }

  /// As `acknowledge`, and returns once it is durable (or cannot be): what answers the device may not go out before, as
  /// it would forget then what it has acknowledged.
  public func acknowledgeDurably(_ ids: [String], by id: InstallationID) async {
    await performDurably(.confirm(ids), by: id)
  }

  private func performDurably(_ command: PushCommand, by id: InstallationID) async {
    guard let queue = queues[MailboxKey.device(id)] else { return }
    // Where there is no room for it now, it is put off: it must not be forgotten.
    do { try await queue.perform(command) { _ in } } catch { await queue.post(command) }
  }

  /// The device sleeps, or has woken up: normal messages wait meanwhile. Any thread; returns at once. Spec: GCM F12.
  public func setIdle(_ isIdle: Bool, _ id: InstallationID, link: any MailLink) {
    guard links.setIdle(isIdle, link, id), !isIdle else { return }
    lane(of: id).enqueue { [self] in await deliverStored(to: id) }
  }

  /// The connection is gone. Any thread; returns at once.
  public func detach(_ id: InstallationID, link: any MailLink) { links.remove(link, id) }

  /// Devices that are connected.
  public var connectionCount: Int { links.count }

  // MARK: For the engine

  /// The identity is gone.
  func revoke(_ id: InstallationID) { links.remove(id)?.close(.revoked) }

  func receiver(_ id: InstallationID) -> MailReceiver { links.receiver(id) }

  /// Writes a message that is never stored; false if its device cannot take it now. Spec: GCM S54.
  func deliverNow(_ mail: Mail, to id: InstallationID) -> Bool {
    guard let link = links.link(for: mail, of: id) else { return false }
    tap.note { MessageStep(.sent, mail, at: $0) }
    link.deliver(mail)
    return true
  }

  /// A message is in the mailbox.
  func stored(_ mail: Mail, for id: InstallationID) {
    tap.note { MessageStep(.stored, mail, at: $0) }
    guard let link = links.link(for: mail, of: id) else { return }
    // It goes with whatever has taken its place by then.
    if isHeldBack(mail, id) { return }
    tap.note { MessageStep(.sent, mail, at: $0) }
    link.deliver(mail)
  }

  /// Messages are gone, and the device is to be told how many. One that is awake is told at once, unless it most likely
  /// has them: it would do for nothing whatever it does then.
  func noticed(_ last: Mail, isOpen: Bool, for id: InstallationID) {
    guard !isOpen else { return }
    tap.note { MessageStep(.dropped, last, at: $0) }
    guard links.receiver(id) == .active else { return }
    lane(of: id).enqueue { [self] in await deliverStored(to: id) }
  }

  /// Whether the flow has had too many of its kind; then all that waits is looked at again when it may have one more.
  private func isHeldBack(_ mail: Mail, _ id: InstallationID) -> Bool {
    guard let throttle else { return false }
    switch throttle.verdict(mail, now: context.time.monotonicMilliseconds) {
    case .goes: return false
    case .waits(let pause?):
      _ = context.timers.schedule(afterMilliseconds: pause) { [self] in
        throttle.timerFired(mail.flow)
        lane(of: id).enqueue { [self] in await deliverStored(to: id, isThrottled: true) }
      }
      return true
    case .waits(nil): return true
    }
  }

  /// Messages have left the mailbox: those that were confirmed may be worth a receipt.
  func ended(_ mails: [EndedMail], _ ending: MailEnding, for id: InstallationID) async {
    for mail in mails {
      tap.note { MessageStep(ending, mail, at: $0) }
      if ending == .acknowledged, let original = mail.receiptFor { await sendReceipt(for: mail, original) }
    }
  }

  func drainAll() { for link in links.close() { link.close(.draining) } }

  private func lane(of id: InstallationID) -> Lane { context.lanes[Int(truncatingIfNeeded: id.androidID)] }

  /// Delivers what waits, in the journal's order: what has come or gone before is known, what comes later finds the
  /// connection ready. So nothing is missed, and nothing that has been replaced is shown after what has replaced it.
  /// - Parameters:
  ///   - isThrottled: only as much as the throttle lets through; a connection that begins gets all.
  ///   - begin: makes the connection ready; false if it is no more.
  private func deliverStored(
    to id: InstallationID, isThrottled: Bool = false, after begin: @escaping @Sendable () -> Bool = { true }
  ) async {
    let deliver: @Sendable ([Mail]) -> Void = { pending in
      guard begin() else { return }
      for mail in pending {
        guard let link = self.links.link(for: mail, of: id) else { continue }
        if isThrottled, self.isHeldBack(mail, id) { continue }
        self.tap.note { MessageStep(.sent, mail, at: $0) }
        link.deliver(mail)
      }
    }
    do {
      let shard = queues.shard(of: MailboxKey.device(id))
      if let queue = shard[MailboxKey.device(id)] {
        try await queue.read({ $0.mail.pending }, inOrder: deliver)
      } else {
        try shard.context.log.afterDurable { [self] fate in
          guard fate == .durable else { return }
          deliver([])
          // Its first message may have come meanwhile.
          if queues.contains(MailboxKey.device(id)) { lane(of: id).enqueue { [self] in await deliverStored(to: id) } }
        }
      }
    } catch {
      // The journal has no room at the moment.
      _ = context.timers.schedule(afterMilliseconds: context.limits.storageRetryMilliseconds) { [self] in
        lane(of: id).enqueue { [self] in await deliverStored(to: id, after: begin) }
      }
    }
  }

  /// Spec: GCM C12.
  private func sendReceipt(for mail: EndedMail, _ original: String) async {
    guard let scope = MailScope(mail.scope), let found = await installations.find(scope) else { return }
    let receipt = Mail(
      id: "dr2:\(original)", scope: mail.scope, origin: found.token, category: mail.category, sender: mail.sender,
      acceptedAt: context.time.now, timeToLive: limits.upstreamSecondsMaximum,
      pairs: [MailPair("message_sent_timestamp", String(mail.acceptedAt.milliseconds))], receiptFor: original)
    tap.note { MessageStep(.receipt, receipt, at: $0) }
    await upstream.post(receipt)
  }
}

/// Which devices are connected, and in what state.
final class DeviceLinks: Sendable {
  private struct Connected {
    let link: any MailLink
    var isReady = false
    var isIdle = false

    var receiver: MailReceiver { isReady ? isIdle ? .idle : .active : .absent }
  }

  private struct State {
    var devices: [InstallationID: Connected] = [:]
    var isClosed = false
  }

  private let state = Mutex(State())

  var count: Int { state.withLock { $0.devices.count } }
  var isClosed: Bool { state.withLock { $0.isClosed } }

  /// - Returns: the connection that the device had before.
  func insert(_ link: any MailLink, _ id: InstallationID) -> (any MailLink)? {
    state.withLock { $0.devices.updateValue(Connected(link: link), forKey: id)?.link }
  }

  /// - Returns: false if it is not the device's connection any more.
  func makeReady(_ link: any MailLink, _ id: InstallationID) -> Bool { change(link, id) { $0.isReady = true } }

  func setIdle(_ isIdle: Bool, _ link: any MailLink, _ id: InstallationID) -> Bool {
    change(link, id) { $0.isIdle = isIdle }
  }

  func remove(_ link: any MailLink, _ id: InstallationID) {
    state.withLock { state in if state.devices[id]?.link === link { state.devices[id] = nil } }
  }

  func remove(_ id: InstallationID) -> (any MailLink)? { state.withLock { $0.devices.removeValue(forKey: id)?.link } }

  func receiver(_ id: InstallationID) -> MailReceiver { state.withLock { $0.devices[id]?.receiver ?? .absent } }

  /// The connection that can take this message now.
  func link(for mail: Mail, of id: InstallationID) -> (any MailLink)? {
    state.withLock { state in
      guard let connected = state.devices[id], connected.receiver.takes(mail) else { return nil }
      return connected.link
    }
  }

  /// No more connections.
  /// - Returns: those that there are.
  func close() -> [any MailLink] {
    state.withLock { state in
      state.isClosed = true
      defer { state.devices = [:] }
      return state.devices.values.map(\.link)
    }
  }

  private func change(_ link: any MailLink, _ id: InstallationID, _ body: (inout Connected) -> Void) -> Bool {
    state.withLock { state in
      guard state.devices[id]?.link === link else { return false }
      state.devices[id].map { connected in
        var connected = connected
        body(&connected)
        state.devices[id] = connected
      }
      return true
    }
  }
}
