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

/// All state, as replay leaves it.
struct Replayed: Sendable {
  var chats = RecoveredKind<ChatSession>()
  var comet = RecoveredKind<CometRecord>()
  var queues = RecoveredKind<PushQueue>()
  var desks = RecoveredKind<AgentDesk>()
  var redactions = RecoveredKind<RedactionLog>()
  var devices = RecoveredKind<Device>()
  var installations = RecoveredKind<Installation>()
  var groups = RecoveredKind<DeviceGroup>()
  var broadcasts = RecoveredKind<Broadcast>()
  var callbacks = RecoveredKind<Callback>()
  var subscriptions = RecoveredKind<Subscription>()
  var stored = RecoveredKind<StoredData>()
  var supportRequests = RecoveredKind<SupportRequest>()
  var supportUsers = RecoveredKind<SupportUser>()
  var supportApps = RecoveredKind<SupportApp>()
  /// The snapshot that it began with.
  var snapshot: SnapshotInfo?
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
    let sessions = restoreSessions(replayed.comet)
    let lost = await restoreChats(replayed.chats)
    restoreDevices(replayed.devices)
    restoreQueues(replayed.queues)
    await restoreMessaging(replayed)
    restoreCallbacks(replayed)
    restoreSubscriptions(replayed.subscriptions)
    try await restoreStorage(replayed.stored)
    restoreSupport(replayed)
    restore(replayed.redactions, to: redactions)
    // Before anything of the customer whom it is about leaves the house.
    try await resumeRedaction()
    if purpose == .service {
      await takeUp(replayed, sessions, lost: lost)
      becomeReady()
    }
    return RecoverySummary(
      records: report.records, snapshotPosition: replayed.snapshot?.point.position, segments: report.segments,
      bytesCut: report.cutByteCount, chats: replayed.chats.count, cometSessions: replayed.comet.count,
      pushQueues: replayed.queues.count, duration: .milliseconds(context.time.monotonicMilliseconds - started))
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
    func table<State: RestorableState>(_ kind: EntityKind) -> ReplayTable<State> {
      guard let index = indexes[kind] else { return ReplayTable(kind: kind) }
      return ReplayTable(kind: kind) { try index.base(of: $0) }
    }
    var chats: ReplayTable<ChatSession> = table(.chatSession)
    var comet: ReplayTable<CometRecord> = table(.cometSession)
    var queues: ReplayTable<PushQueue> = table(.pushQueue)
    var desks: ReplayTable<AgentDesk> = table(.agent)
    var redactions: ReplayTable<RedactionLog> = table(.redactionLog)
    var devices: ReplayTable<Device> = table(.device)
    var installations: ReplayTable<Installation> = table(.installation)
    var groups: ReplayTable<DeviceGroup> = table(.deviceGroup)
    var broadcasts: ReplayTable<Broadcast> = table(.broadcast)
    var callbacks: ReplayTable<Callback> = table(.callback)
    var subscriptions: ReplayTable<Subscription> = table(.subscription)
    var stored: ReplayTable<StoredData> = table(.stored)
    var supportRequests: ReplayTable<SupportRequest> = table(.supportRequest)
    var supportUsers: ReplayTable<SupportUser> = table(.supportUser)
    var supportApps: ReplayTable<SupportApp> = table(.supportApp)
    var settings = configuration.journal
    settings.startingPoint = snapshot?.info.point
    let onFatal = onFatal
    let (writer, report) = try JournalWriter.open(
      directory: configuration.journalDirectory, configuration: settings, storage: environment.storage,
      deliver: JournalLog.delivery(to: outbox), onFatal: { onFatal("\($0)") }
    ) { view in
      let kind = EntityKind(rawValue: view.kind)
      guard !view.isRedacted else {
        // Erased lawfully: nothing is left to replay, and what it belonged to may have a gap there.
        switch kind {
        case .chatSession: chats.erasedRecords += 1
        case .cometSession: comet.erasedRecords += 1
        case .pushQueue: queues.erasedRecords += 1
        case .device: devices.erasedRecords += 1
        case .installation: installations.erasedRecords += 1
        case .deviceGroup: groups.erasedRecords += 1
        case .broadcast: broadcasts.erasedRecords += 1
        case .callback: callbacks.erasedRecords += 1
        case .subscription: subscriptions.erasedRecords += 1
        case .stored: stored.erasedRecords += 1
        case .supportRequest: supportRequests.erasedRecords += 1
        case .supportUser: supportUsers.erasedRecords += 1
        case .supportApp: supportApps.erasedRecords += 1
        default: break
        }
        return
      }
      let record = ReplayRecord(
        position: view.position, kind: kind, key: view.key, sequence: view.sequence,
        time: Timestamp(milliseconds: view.timeMilliseconds), tag: view.tag, payload: view.payload)
      switch kind {
      case .chatSession: try chats.apply(record)
      case .cometSession: try comet.apply(record)
      case .pushQueue: try queues.apply(record)
      case .agent: try desks.apply(record)
      case .redactionLog: try redactions.apply(record)
      case .device: try devices.apply(record)
      case .installation: try installations.apply(record)
      case .deviceGroup: try groups.apply(record)
      case .broadcast: try broadcasts.apply(record)
      case .callback: try callbacks.apply(record)
      case .subscription: try subscriptions.apply(record)
      case .stored: try stored.apply(record)
      case .supportRequest: try supportRequests.apply(record)
      case .supportUser: try supportUsers.apply(record)
      case .supportApp: try supportApps.apply(record)
      default: throw ReplayError.unknownKind(position: record.position, kind: view.kind)
      }
    }
    do {
      let replayed = Replayed(
        chats: try RecoveredKind(chats, over: indexes[.chatSession]),
        comet: try RecoveredKind(comet, over: indexes[.cometSession]),
        queues: try RecoveredKind(queues, over: indexes[.pushQueue]),
        desks: try RecoveredKind(desks, over: indexes[.agent]),
        redactions: try RecoveredKind(redactions, over: indexes[.redactionLog]),
        devices: try RecoveredKind(devices, over: indexes[.device]),
        installations: try RecoveredKind(installations, over: indexes[.installation]),
        groups: try RecoveredKind(groups, over: indexes[.deviceGroup]),
        broadcasts: try RecoveredKind(broadcasts, over: indexes[.broadcast]),
        callbacks: try RecoveredKind(callbacks, over: indexes[.callback]),
        subscriptions: try RecoveredKind(subscriptions, over: indexes[.subscription]),
        stored: try RecoveredKind(stored, over: indexes[.stored]),
        supportRequests: try RecoveredKind(supportRequests, over: indexes[.supportRequest]),
        supportUsers: try RecoveredKind(supportUsers, over: indexes[.supportUser]),
        supportApps: try RecoveredKind(supportApps, over: indexes[.supportApp]), snapshot: snapshot?.info)
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
    for device in replayed.devices.entities { await devices.remind(device.key) }
    for device in replayed.installations.entities { await installations.remind(device.key) }
    for queue in replayed.queues.entities { await queues[queue.key]?.rearm() }
    for broadcast in replayed.broadcasts.entities { await messaging.broadcasts.broadcasts[broadcast.key]?.rearm() }
    for chat in replayed.chats.entities { await chats.directory[chat.key]?.rearm() }
    for one in replayed.subscriptions.entities { await notifications.directory[one.key]?.rearm() }
    for one in replayed.stored.entities { await storage.directory[one.key]?.rearm() }
    for callback in replayed.callbacks.entities { await callbacks.directory[callback.key]?.rearm() }
    await support.takeUp(replayed.supportRequests.entities.map(\.key))
    // A kill may have come between the chat's record and the callback's.
    for id in callbacks.index.chatting { await callbacks.chatChanged(id) }
    for id in replayed.chats.finished { await callbacks.chatIsGone(id) }
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

  private func restoreDevices(_ recovered: RecoveredKind<Device>) {
    devices.index.reserveCapacity(recovered.count)
    for device in recovered.entities { devices.index.set(device.key, DeviceNote(device.state)) }
    for device in recovered.sleeping {
      // A note that cannot be read would be a defect of our own: the checksum was right.
      if let note = try? DeviceNote(bytes: device.brief.note) { devices.index.set(device.key, note) }
    }
    restore(recovered, to: devices.directory)
  }

  private func restoreQueues(_ recovered: RecoveredKind<PushQueue>) {
    for queue in recovered.entities {
      deadLetters.set(queue.key, queue.state.deadLetters.count)
      deadLetters.set(queue.key, queue.state.backlog)
    }
    for queue in recovered.sleeping { deadLetters.restored(queue.key, note: queue.brief.note) }
    restore(recovered, to: queues)
  }

  private func restoreCallbacks(_ replayed: Replayed) {
    restore(replayed.desks, to: desks)
    for desk in replayed.desks.entities {
      callbacks.router.changed(agent: desk.key, desk.state.readiness)
    }
    for desk in replayed.desks.sleeping {
      callbacks.router.changed(agent: desk.key, AgentDesk.readiness(note: desk.brief.note))
    }
    restore(replayed.callbacks, to: callbacks.directory)
    let current = options.current
    callbacks.index.reserveCapacity(replayed.callbacks.count)
    for callback in replayed.callbacks.entities {
      restored(callback.key, CallbackNote(callback.state) { current.lookupKeys(ofCallback: $0).all })
    }
    for callback in replayed.callbacks.sleeping {
      // A note that cannot be read would be a defect of our own: the checksum was right.
      if let note = try? CallbackNote(bytes: callback.brief.note) { restored(callback.key, note) }
    }
  }

  private func restored(_ id: String, _ note: CallbackNote) {
    callbacks.index.set(id, note)
    if let key = note.chatKey { chats.index.setGuestKey(key, of: id) }
    callbacks.router.changed(id, from: nil, to: note)
  }

  private func restoreMessaging(_ replayed: Replayed) async {
    restore(replayed.installations, to: installations.directory)
    for device in replayed.installations.entities { installations.restored(device.key, InstallationNote(device.state)) }
    for device in replayed.installations.sleeping {
      // A note that cannot be read would be a defect of our own: the checksum was right.
      guard let note = try? InstallationNote(bytes: device.brief.note) else { continue }
      // What was too much for a note is in the state.
      let whole = note.isCut ? await installations.directory[device.key]?.peek { InstallationNote($0) } : nil
      installations.restored(device.key, whole ?? note)
    }
    restore(replayed.groups, to: messaging.groups)
    for group in replayed.groups.entities { messaging.groupIndex.set(group.state.key, of: group.key) }
    for group in replayed.groups.sleeping {
      messaging.groupIndex.set(String(decoding: group.brief.note, as: UTF8.self), of: group.key)
    }
    restore(replayed.broadcasts, to: messaging.broadcasts.broadcasts)
  }

  private func restoreSubscriptions(_ recovered: RecoveredKind<Subscription>) {
    for one in recovered.entities {
      if let terms = one.state.terms { notifications.index.set(one.key, SubscriptionNote(terms)) }
    }
    for one in recovered.sleeping {
      // A note that cannot be read would be a defect of our own: the checksum was right.
      if let note = SubscriptionNote(bytes: one.brief.note) { notifications.index.set(one.key, note) }
    }
    restore(recovered, to: notifications.directory)
  }

  private func restoreStorage(_ recovered: RecoveredKind<StoredData>) async throws {
    for one in recovered.entities { storage.restored(one.key, StorageNote(one.state)) }
    for one in recovered.sleeping {
      // A note that cannot be read would be a defect of our own: the checksum was right.
      if let note = try? StorageNote(bytes: one.brief.note) { storage.restored(one.key, note) }
    }
    restore(recovered, to: storage.directory)
    try await onThread { [storage] in try storage.blobs.sweep() }
  }

  private func restoreSupport(_ replayed: Replayed) {
    let index = support.index
    for one in replayed.supportUsers.entities { index.set(user: one.key, SupportUserNote(one.state)) }
    for one in replayed.supportUsers.sleeping {
      // A note that cannot be read would be a defect of our own: the checksum was right.
      if let note = try? SupportUserNote(bytes: one.brief.note) { index.set(user: one.key, note) }
    }
    var requests = replayed.supportRequests.entities.map { ($0.key, SupportRequestNote($0.state)) }
    for one in replayed.supportRequests.sleeping {
      if let note = try? SupportRequestNote(bytes: one.brief.note) { requests.append((one.key, note)) }
    }
    // In the order of their numbers, since the index keeps them so.
    for (key, note) in requests.sorted(by: { ($0.0.utf8.count, $0.0) < ($1.0.utf8.count, $1.0) }) {
      index.set(request: key, note)
    }
    restore(replayed.supportUsers, to: support.users)
    restore(replayed.supportRequests, to: support.requests)
    restore(replayed.supportApps, to: support.apps)
  }

  /// - Returns: the Comet sessions that each chat counts on.
  private func restoreChats(_ recovered: RecoveredKind<ChatSession>) async -> [(chat: String, sessions: [String])] {
    chats.index.reserveCapacity(recovered.count)
    var attached: [(String, [String])] = []
    for chat in recovered.entities {
      let note = ChatNote(chat.state)
      chats.index.restored(chat.key, note)
      if !note.sessions.isEmpty { attached.append((chat.key, note.sessions)) }
    }
    var short: [String] = []
    for chat in recovered.sleeping {
      // A note that cannot be read would be a defect of our own: the checksum was right.
      guard let note = try? ChatNote(bytes: chat.brief.note) else { continue }
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
