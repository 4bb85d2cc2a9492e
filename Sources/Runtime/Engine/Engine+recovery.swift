import Bayeux
import CallbackDomain
import ChatDomain
import EntityRuntime
import EventSourcing
import Journal
import JournalFormat
import Logging
import PushDomain
import StorageDomain
import SupportDomain
import Synchronization
import SystemPackage

/// What a start found in the journal.
public struct RecoverySummary: Sendable, CustomStringConvertible {
  public var records: UInt64
  /// The snapshot that it began with, by its position; nil if all records were read.
  public var snapshotPosition: UInt64?
  public var segments: Int
  /// Bytes of a torn tail that were cut and kept aside.
  public var bytesCut: Int
  public var chats: Int
  public var cometSessions: Int
  public var pushQueues: Int
  public var duration: Duration

  public var description: String {
    let cut = bytesCut > 0 ? ", a torn tail of \(bytesCut) bytes cut and kept aside" : ""
    let snapshot = snapshotPosition.map { " behind the snapshot at position \($0)" } ?? ""
    return
      "recovered \(records) records\(snapshot) from \(segments) segments in \(duration.wholeMilliseconds) ms: \(chats) chats, "
      + "\(cometSessions) Comet sessions, \(pushQueues) push queues\(cut)"
  }
}

/// What a journal is opened for.
public enum RecoveryPurpose: Sendable {
  /// To serve: timers run, pushes go out, Comet sessions wait for their clients.
  case service
  /// For a tool: all state is there, and nothing happens by itself.
  case maintenance
}

/// All state, as replay leaves it: of every kind in the catalogue.
struct Replayed: Sendable {
  fileprivate var kinds: [UInt8: any RecoveredEntities] = [:]
  /// The snapshot that it began with.
  var snapshot: SnapshotInfo?

  /// What it made of the kind whose entities have this state.
  subscript<State: RestorableState>(_ kind: EntityKind, _ type: State.Type = State.self) -> RecoveredKind<State> {
    guard let recovered = kinds[kind.rawValue] as? RecoveredKind<State> else {
      preconditionFailure("the entities of kind \(kind.rawValue) have another state")
    }
    return recovered
  }

  func count(of kind: EntityKind) -> Int { kinds[kind.rawValue]?.count ?? 0 }
}

extension Engine {
  /// Opens the journal, rebuilds all state and takes up what is owed.
  ///
  /// The newest snapshot that is good, and the records behind it; if none is good, all records.
  /// - Parameter purpose: what for; see `RecoveryPurpose`.
  /// - Throws: `JournalError`, `SnapshotError` or `ReplayError`; all say in one line what is wrong and what to do.
  public func recover(for purpose: RecoveryPurpose = .service) async throws -> RecoverySummary {
    let started = context.time.monotonicMilliseconds
    let (writer, report, replayed) = try await onThread { [self] in try openJournal() }
    journal.hold(writer)
    // Only now is it certain that no other process sleeps there.
    try await onThread { [spill] in try spill.clear() }
    log.open(writer)
    if let point = replayed.snapshot?.point { snapshotPoints.withLock { $0 = [point] } }
    let sessions = restoreSessions(replayed[.cometSession])
    let lost = try await restoreChats(replayed[.chatSession])
    try restoreDevices(replayed[.device])
    try restoreQueues(replayed[.pushQueue])
    try await restoreMessaging(replayed)
    try restoreCallbacks(replayed)
    try restoreSubscriptions(replayed[.subscription])
    try await restoreStorage(replayed[.stored])
    try restoreSupport(replayed)
    restore(replayed[.redactionLog], to: redactions)
    // Before anything of the customer whom it is about leaves the house.
    try await resumeRedaction()
    if purpose == .service {
      await takeUp(replayed, sessions, lost: lost)
      becomeReady()
    }
    return RecoverySummary(
      records: report.records, snapshotPosition: replayed.snapshot?.point.position, segments: report.segments,
      bytesCut: report.cutByteCount, chats: replayed.count(of: .chatSession),
      cometSessions: replayed.count(of: .cometSession), pushQueues: replayed.count(of: .pushQueue),
      duration: .milliseconds(context.time.monotonicMilliseconds - started))
  }

  private func openJournal() throws -> (JournalWriter, RecoveryReport, Replayed) {
    for file in try snapshots.all() {
      do {
        let snapshot = try snapshots.open(file)
        return try replay(over: snapshot)
      } catch let error as SnapshotError where Self.isPassedOver(error) {
        logger.warning("a snapshot is left out", metadata: ["reason": "\(error)"])
      } catch let error as ReplayError {
        // The snapshot and the records behind it do not fit: the one before, or the records alone, may.
        logger.error("a snapshot is left out", metadata: ["snapshot": "\(file.path)", "reason": "\(error)"])
      } catch let error as JournalError {
        // Of another journal, or of one that has lost its end: nobody but the operator can tell which of the two to keep.
        throw SnapshotError(error, snapshot: file.path) ?? error
      }
    }
    return try replay(over: nil)
  }

  /// A snapshot that only costs time: the one before, or the journal itself, has all that it had.
  private static func isPassedOver(_ error: SnapshotError) -> Bool {
    switch error {
    case .damaged, .incomplete, .foreignFile, .renamed: true
    case .newerVersion, .foreignJournal, .historyDiffers, .journalShorter, .storage: false
    }
  }

  private func replay(over snapshot: Snapshot?) throws -> (JournalWriter, RecoveryReport, Replayed) {
    let indexes = try SnapshotIndex.read(snapshot)
    let cards = Catalogue.carillon.cards
    var lanes = [ReplayLane?](repeating: nil, count: 256)
    for card in cards { lanes[Int(card.kind.rawValue)] = card.lane(over: indexes[card.kind]) }
    var settings = configuration.journal
    settings.startingPoint = snapshot?.info.point
    let onFatal = onFatal
    let (writer, report) = try JournalWriter.open(
      directory: configuration.journalDirectory, configuration: settings, storage: environment.storage,
      deliver: JournalLog.delivery(to: outbox), onFatal: { onFatal("\($0)") }
    ) { [lanes] view in
      guard let lane = lanes[Int(view.kind)] else {
        if view.isRedacted { return }
        throw ReplayError.unknownKind(position: view.position, kind: view.kind)
      }
      // Erased lawfully: nothing is left to replay, and what it belonged to may have a gap there.
      guard !view.isRedacted else { return lane.erased() }
      try lane.apply(
        ReplayRecord(
          position: view.position, kind: EntityKind(rawValue: view.kind), key: view.key, sequence: view.sequence,
          time: Timestamp(milliseconds: view.timeMilliseconds), tag: view.tag, payload: view.payload))
    }
    do {
      var replayed = Replayed(snapshot: snapshot?.info)
      for card in cards { replayed.kinds[card.kind.rawValue] = try lanes[Int(card.kind.rawValue)]?.finish() }
      return (writer, report, replayed)
    } catch {
      try? writer.close()
      throw error
    }
  }

  /// What is owed, then who was lost; the grace of Comet sessions starts last.
  private func takeUp(
    _ replayed: Replayed, _ sessions: [CometSession], lost: [(chat: String, sessions: [String])]
  ) async {
    // What must not go out any more, then what was owed: what is new must not overtake it.
    for device in replayed[.device, Device.self].entities { await devices.remind(device.key) }
    for device in replayed[.installation, Installation.self].entities { await installations.remind(device.key) }
    for queue in replayed[.pushQueue, PushQueue.self].entities { await queues[queue.key]?.rearm() }
    for one in replayed[.broadcast, Broadcast.self].entities {
      await messaging.broadcasts.broadcasts[one.key]?.rearm()
    }
    let chatting: RecoveredKind<ChatSession> = replayed[.chatSession]
    for chat in chatting.entities { await chats.directory[chat.key]?.rearm() }
    for one in replayed[.subscription, Subscription.self].entities {
      await notifications.directory[one.key]?.rearm()
    }
    for one in replayed[.stored, StoredData.self].entities { await storage.directory[one.key]?.rearm() }
    for callback in replayed[.callback, Callback.self].entities {
      await callbacks.directory[callback.key]?.rearm()
    }
    await support.takeUp(replayed[.supportRequest, SupportRequest.self].entities.map(\.key))
    // A kill may have come between the chat's record and the callback's.
    for id in callbacks.index.chatting { await callbacks.chatChanged(id) }
    for id in chatting.finished { await callbacks.chatIsGone(id) }
    callbacks.router.open()
    for session in sessions where comet.directory[session.clientID] === session { await requeue(session) }
    await detachLost(lost)
    for session in sessions where comet.directory[session.clientID] === session {
      await session.startGrace(restored: true)
    }
  }

  private func restoreSessions(_ recovered: RecoveredKind<CometRecord>) -> [CometSession] {
    var sessions: [CometSession] = []
    for one in recovered.entities where one.state.isOpen {
      let session = CometSession(
        clientID: one.key, record: one.state, sequence: one.sequence, settings: configuration.sessionSettings,
        context: context, gateway: comet)
      guard comet.directory.insert(session, limit: .max, limitByUser: .max) else { continue }
      sessions.append(session)
    }
    return sessions
  }

  private func restore<State>(_ recovered: RecoveredKind<State>, to directory: EntityDirectory<State>) {
    directory.reserveCapacity(recovered.count)
    directory.restore(recovered.entities)
    var deadlines: [(deadline: Timestamp, key: String)] = []
    for one in recovered.sleeping {
      directory.restore(one.key, sleepingAt: one.place, sequence: one.sequence)
      if case .asleep(let deadline?) = one.brief.rest { deadlines.append((deadline, one.key)) }
    }
    let lanes = context.lanes
    WakeList(deadlines, context: context) { key in
      lanes[key.hashValue].enqueue { await directory[key]?.wakeUp() }
    }.start()
  }

  /// What is known of an entity that sleeps.
  /// - Throws: `unreadableNote`. The checksum of the snapshot was right, so that it is a defect of our own, or another
  ///   version's: to go on would be to forget whose it is.
  private static func note<Note>(
    _ kind: EntityKind, _ key: String, _ brief: Brief, _ read: ([UInt8]) throws(PayloadError) -> Note
  ) throws(ReplayError) -> Note {
    do throws(PayloadError) { return try read(brief.note) } catch {
      throw .unreadableNote(entity: EntityID(kind, key), reason: error)
    }
  }

  private func restoreDevices(_ recovered: RecoveredKind<Device>) throws {
    devices.index.reserveCapacity(recovered.count)
    for device in recovered.entities { devices.index.set(device.key, DeviceNote(device.state)) }
    for device in recovered.sleeping {
      devices.index.set(
        device.key, try Self.note(.device, device.key, device.brief, DeviceNote.init(bytes:)))
    }
    restore(recovered, to: devices.directory)
  }

  private func restoreQueues(_ recovered: RecoveredKind<PushQueue>) throws {
    for queue in recovered.entities {
      deadLetters.set(queue.key, queue.state.deadLetters.count)
      deadLetters.set(queue.key, queue.state.backlog)
    }
    for queue in recovered.sleeping {
      try Self.note(.pushQueue, queue.key, queue.brief) { bytes throws(PayloadError) in
        try deadLetters.restored(queue.key, note: bytes)
      }
    }
    restore(recovered, to: queues)
  }

  private func restoreCallbacks(_ replayed: Replayed) throws {
    let (agents, ordered) = (replayed[.agent, AgentDesk.self], replayed[.callback, Callback.self])
    restore(agents, to: desks)
    for desk in agents.entities {
      callbacks.router.changed(agent: desk.key, desk.state.readiness)
    }
    for desk in agents.sleeping {
      callbacks.router.changed(
        agent: desk.key, try Self.note(.agent, desk.key, desk.brief, AgentDesk.readiness(note:)))
    }
    restore(ordered, to: callbacks.directory)
    let current = options.current
    callbacks.index.reserveCapacity(ordered.count)
    for callback in ordered.entities {
      restored(callback.key, CallbackNote(callback.state) { current.lookupKeys(ofCallback: $0).all })
    }
    for callback in ordered.sleeping {
      restored(callback.key, try Self.note(.callback, callback.key, callback.brief, CallbackNote.init(bytes:)))
    }
  }

  private func restored(_ id: String, _ note: CallbackNote) {
    callbacks.index.set(id, note)
    if let key = note.chatKey { chats.index.setGuestKey(key, of: id) }
    callbacks.router.changed(id, from: nil, to: note)
  }

  private func restoreMessaging(_ replayed: Replayed) async throws {
    let known: RecoveredKind<Installation> = replayed[.installation]
    restore(known, to: installations.directory)
    for device in known.entities { installations.restored(device.key, InstallationNote(device.state)) }
    for device in known.sleeping {
      let note = try Self.note(.installation, device.key, device.brief, InstallationNote.init(bytes:))
      // What was too much for a note is in the state.
      let whole = note.isCut ? await installations.directory[device.key]?.peek { InstallationNote($0) } : nil
      installations.restored(device.key, whole ?? note)
    }
    let groups: RecoveredKind<DeviceGroup> = replayed[.deviceGroup]
    restore(groups, to: messaging.groups)
    for group in groups.entities { messaging.groupIndex.set(group.state.key, of: group.key) }
    for group in groups.sleeping {
      messaging.groupIndex.set(String(decoding: group.brief.note, as: UTF8.self), of: group.key)
    }
    restore(replayed[.broadcast], to: messaging.broadcasts.broadcasts)
  }

  private func restoreSubscriptions(_ recovered: RecoveredKind<Subscription>) throws {
    for one in recovered.entities {
      if let terms = one.state.terms { notifications.index.set(one.key, SubscriptionNote(terms)) }
    }
    for one in recovered.sleeping {
      // One without terms is in no index.
      guard !one.brief.note.isEmpty else { continue }
      notifications.index.set(
        one.key, try Self.note(.subscription, one.key, one.brief, SubscriptionNote.init(bytes:)))
    }
    restore(recovered, to: notifications.directory)
  }

  private func restoreStorage(_ recovered: RecoveredKind<StoredData>) async throws {
    for one in recovered.entities { storage.restored(one.key, StorageNote(one.state)) }
    for one in recovered.sleeping {
      storage.restored(one.key, try Self.note(.stored, one.key, one.brief, StorageNote.init(bytes:)))
    }
    restore(recovered, to: storage.directory)
    try await onThread { [storage] in try storage.blobs.sweep() }
  }

  private func restoreSupport(_ replayed: Replayed) throws {
    let index = support.index
    let users: RecoveredKind<SupportUser> = replayed[.supportUser]
    let asked: RecoveredKind<SupportRequest> = replayed[.supportRequest]
    for one in users.entities { index.set(user: one.key, SupportUserNote(one.state)) }
    for one in users.sleeping {
      index.set(user: one.key, try Self.note(.supportUser, one.key, one.brief, SupportUserNote.init(bytes:)))
    }
    var requests = asked.entities.map { ($0.key, SupportRequestNote($0.state)) }
    for one in asked.sleeping {
      requests.append(
        (one.key, try Self.note(.supportRequest, one.key, one.brief, SupportRequestNote.init(bytes:))))
    }
    // In the order of their numbers, since the index keeps them so.
    for (key, note) in requests.sorted(by: { ($0.0.utf8.count, $0.0) < ($1.0.utf8.count, $1.0) }) {
      index.set(request: key, note)
    }
    restore(users, to: support.users)
    restore(asked, to: support.requests)
    restore(replayed[.supportApp], to: support.apps)
  }

  /// - Returns: the Comet sessions that each chat counts on.
  private func restoreChats(
    _ recovered: RecoveredKind<ChatSession>
  ) async throws -> [(chat: String, sessions: [String])] {
    chats.index.reserveCapacity(recovered.count)
    var attached: [(String, [String])] = []
    for chat in recovered.entities {
      let note = ChatNote(chat.state)
      chats.index.restored(chat.key, note)
      if !note.sessions.isEmpty { attached.append((chat.key, note.sessions)) }
    }
    var short: [String] = []
    for chat in recovered.sleeping {
      let note = try Self.note(.chatSession, chat.key, chat.brief, ChatNote.init(bytes:))
      chats.index.restored(chat.key, note)
      if note.isShort { short.append(chat.key) }
      if !note.sessions.isEmpty { attached.append((chat.key, note.sessions)) }
    }
    restore(recovered, to: chats.directory)
    for key in short {
      if let note = await chats.directory.peek(key, { ChatNote($0) }) { chats.index.restored(key, note) }
    }
    return attached
  }

  /// Fills the queue of a restored session from the transcripts, and tells chats of a subscription that the crash kept
  /// from them.
  private func requeue(_ session: CometSession) async {
    let isSubscribed = await session.isSubscribed
    for serviceID in chats.services(of: session) {
      guard let chat = chats.directory[serviceID] else { continue }
      let delivered = await session.delivered(of: serviceID)
      let clientID = session.clientID
      let isKnown = await chat.peek { $0.subscribedSessions.contains(clientID) }
      // Also to one that subscribes anew: what it was sent before it had unsubscribed may not have reached it.
      let missed = await interpreter.notifications(for: clientID, in: chat) {
        $0.catchUp(for: clientID, delivered: delivered)
      }
      for message in missed { await session.deliver(message) }
      if isSubscribed, !isKnown {
        let has = await session.confirmed(of: serviceID)
        await chat.post(
          ChatCommand(.cometSubscribed(session: clientID, delivered: has), policy: chats.policy(of: serviceID)))
      }
    }
  }

  /// A chat may still count on a session whose end it was not told before the crash; or on one that may not have its
  /// events any more: options have changed, or it was bound by an earlier version.
  private func detachLost(_ attached: [(chat: String, sessions: [String])]) async {
    for (serviceID, sessions) in attached {
      for clientID in sessions {
        if let session = comet.directory[clientID], chats.services(of: session).contains(serviceID) { continue }
        let command = ChatCommand(.cometLost(session: clientID, delivered: 0), policy: chats.policy(of: serviceID))
        await chats.directory[serviceID]?.post(command)
      }
    }
  }
}
