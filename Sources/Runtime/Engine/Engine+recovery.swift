import Bayeux
import ChatDomain
import EntityRuntime
import EventSourcing
import Journal
import JournalFormat
import PushDomain
import SystemPackage

/// What a start found in the journal.
public struct RecoverySummary: Sendable, CustomStringConvertible {
  public var records: UInt64
  public var segments: Int
  /// Bytes of a torn tail that were cut and kept aside.
  public var bytesCut: Int
  public var chats: Int
  public var cometSessions: Int
  public var pushQueues: Int
  public var duration: Duration

  public var description: String {
    let cut = bytesCut > 0 ? ", a torn tail of \(bytesCut) bytes cut and kept aside" : ""
    return
      "recovered \(records) records from \(segments) segments in \(duration.wholeMilliseconds) ms: \(chats) chats, "
      + "\(cometSessions) Comet sessions, \(pushQueues) push queues\(cut)"
  }
}

/// All state, as replay leaves it.
private struct Replayed: Sendable {
  var chats: [RecoveredEntity<ChatSession>] = []
  var comet: [RecoveredEntity<CometRecord>] = []
  var queues: [RecoveredEntity<PushQueue>] = []
  var desks: [RecoveredEntity<AgentDesk>] = []
}

extension Engine {
  /// Opens the journal, replays all state and takes up what is owed.
  /// - Throws: `JournalError` or `ReplayError`; both say in one line what is wrong and what to do.
  public func recover() async throws -> RecoverySummary {
    let started = ContinuousClock.now
    let configuration = configuration
    let (onFatal, deliver) = (onFatal, JournalLog.delivery(to: outbox))
    let result = await JournalHolder.onThread { () -> Result<(JournalWriter, RecoveryReport, Replayed), any Error> in
      Result { try Self.replay(configuration, deliver: deliver, onFatal: onFatal) }
    }
    let (writer, report, replayed) = try result.get()
    journal.hold(writer)
    log.open(writer)
    await restore(replayed)
    becomeReady()
    return RecoverySummary(
      records: report.records, segments: report.segments, bytesCut: report.cutByteCount,
      chats: replayed.chats.count, cometSessions: replayed.comet.count, pushQueues: replayed.queues.count,
      duration: ContinuousClock.now - started)
  }

  private static func replay(
    _ configuration: EngineConfiguration, deliver: @escaping JournalWriter.Delivery,
    onFatal: @escaping @Sendable (String) -> Void
  ) throws -> (JournalWriter, RecoveryReport, Replayed) {
    var chats = ReplayTable<ChatSession>(kind: .chatSession)
    var comet = ReplayTable<CometRecord>(kind: .cometSession)
    var queues = ReplayTable<PushQueue>(kind: .pushQueue)
    var desks = ReplayTable<AgentDesk>(kind: .agent)
    let (writer, report) = try JournalWriter.open(
      directory: configuration.dataDirectory.appending("journal"), configuration: configuration.journal,
      deliver: deliver, onFatal: { onFatal("\($0)") }
    ) { view in
      // Erased lawfully: nothing is left to replay.
      if view.isRedacted { return }
      let record = ReplayRecord(
        position: view.position, kind: EntityKind(rawValue: view.kind), key: view.key, sequence: view.sequence,
        time: Timestamp(milliseconds: view.timeMilliseconds), tag: view.tag, payload: view.payload)
      switch record.kind {
      case .chatSession: try chats.apply(record)
      case .cometSession: try comet.apply(record)
      case .pushQueue: try queues.apply(record)
      case .agent: try desks.apply(record)
      default: throw ReplayError.unknownKind(position: record.position, kind: view.kind)
      }
    }
    return (
      writer, report,
      Replayed(chats: chats.finish(), comet: comet.finish(), queues: queues.finish(), desks: desks.finish())
    )
  }

  /// Entities first, then who belongs to whom, then what is owed; the grace of Comet sessions starts last.
  private func restore(_ replayed: Replayed) async {
    for chat in replayed.chats {
      chats.index.created(chat.key, serviceName: chat.state.serviceName, data: chat.state.data)
      if chat.state.isStarted {
        chats.index.opened(
          chat.key, chatSessionID: chat.state.chatSessionID, userKey: chat.state.userKey, data: chat.state.data)
      }
    }
    chats.directory.restore(replayed.chats)
    queues.restore(replayed.queues)
    desks.restore(replayed.desks)
    var sessions: [CometSession] = []
    for one in replayed.comet where one.state.isOpen {
      let session = CometSession(
        clientID: one.key, record: one.state, sequence: one.sequence, settings: configuration.sessionSettings,
        context: context, gateway: comet)
      guard comet.directory.insert(session, limit: .max, limitByUser: .max) else { continue }
      sessions.append(session)
    }
    // What was owed first: what is new must not overtake it.
    for queue in queues.all { await queue.rearm() }
    for chat in chats.directory.all { await chat.rearm() }
    for session in sessions { await requeue(session) }
    await detachLost(replayed.chats)
    for session in sessions { await session.startGrace(restored: true) }
  }

  /// Fills the queue of a restored session from the transcripts, and tells chats of a subscription that the crash kept
  /// from them.
  private func requeue(_ session: CometSession) async {
    guard await session.isSubscribed else { return }
    for serviceID in chats.services(of: session) {
      guard let chat = chats.directory[serviceID] else { continue }
      let delivered = await session.delivered(of: serviceID)
      let clientID = session.clientID
      let missed = await chat.peek { chat in
        (
          known: chat.attachedSessions.contains(clientID),
          events: Array(chat.catchUp(for: clientID, delivered: delivered)), ended: chat.isEnded
        )
      }
      if !missed.known {
        await chat.post(
          ChatCommand(.cometSubscribed(session: clientID, delivered: delivered), policy: chats.policy(of: serviceID)))
      } else if let message = await interpreter.notification(of: missed.events, ended: missed.ended, in: chat) {
        await session.deliver(message)
      }
    }
  }

  /// A chat may still count on a session whose end it was not told before the crash.
  private func detachLost(_ recovered: [RecoveredEntity<ChatSession>]) async {
    for chat in recovered {
      for clientID in chat.state.attachedSessions where comet.directory[clientID] == nil {
        let command = ChatCommand(
          .cometLost(session: clientID, delivered: 0), policy: chats.policy(of: chat.key))
        await chats.directory[chat.key]?.post(command)
      }
    }
  }
}
