import CallbackDomain
import ChatDomain
import Engine
import EventSourcing
import PushDomain
import SupportDomain

/// The model beside the engine: what the durable records say, told by rules of its own.
///
/// It knows the events but not how the engine lives by them, so that a fault there cannot hide here.
struct Reference {
  private(set) var chats: [String: ChatView] = [:]
  private(set) var callbacks: [String: CallbackTrack] = [:]
  private(set) var readyAgents: Set<String> = []
  private(set) var queues: [String: QueueView] = [:]
  /// ClientIds of sessions whose loss is durable.
  private(set) var lostSessions: Set<String> = []
  /// Of devices and of senders' app servers, by their queues.
  private(set) var mailboxes: [String: MailboxView] = [:]
  private(set) var installations: [String: InstallationView] = [:]
  private(set) var broadcasts: [String: BroadcastView] = [:]
  /// The world tells it what operators configure.
  var support = SupportLedger()
  let states = ReplayedStates()
  /// Where each push went to, once its queue has it.
  private(set) var acceptedBy: [PushID: String] = [:]

  /// What the installations were when an epoch began, and what they became since; kept where the records of an epoch have
  /// no order among each other.
  private var recentInstallations: RecentInstallations?

  /// The next records are those of one look at the journals.
  mutating func beginLook(isOrdered: Bool, epoch: Int) {
    guard !isOrdered, recentInstallations?.epoch != epoch else { return }
    recentInstallations = RecentInstallations(epoch: epoch, before: installations)
  }

  /// Takes in one record.
  /// - Throws: `Failure` for a broken promise, or what decoding throws.
  mutating func apply(_ seen: JournalMirrors.Seen, at moment: Moment) throws {
    let (record, place) = (seen.record, seen.place)
    if record.isRedacted { return }
    try states.apply(record)
    let time = Timestamp(milliseconds: record.timeMilliseconds)
    switch EntityKind(rawValue: record.kind) {
    case .chatSession:
      try chats[record.key, default: ChatView()].apply(try record.event(ChatEvent.self), at: time, moment)
    case .pushQueue:
      let event = try record.event(PushEvent.self)
      try queues[record.key, default: QueueView()].apply(event, at: time, moment)
      switch event {
      case .enqueued(let message):
        try accepted(message.id, by: record.key)
        try followCallback(message.id)
      case .declined(let id, _, _): try accepted(id, by: record.key)
      case .attemptBegan(let id, _, _): support.attemptBegan(id, after: seen.earliest)
      case .settled(let id, let outcome, _, _, _, _): try support.settled(id, outcome, epoch: moment.epoch)
      default: try applyMail(event, record, place, at: time, moment)
      }
    case .callback:
      do {
        try callbacks[record.key, default: CallbackTrack()].apply(
          try record.event(CallbackEvent.self), at: time, moment)
      } catch let failure as Failure { throw Failure(failure.invariant, "callback \(record.key): \(failure.detail)") }
    case .supportRequest, .supportUser, .supportApp: try applySupport(record, place, at: time, moment)
    case .agent:
      switch try record.event(AgentDesk.Event.self) {
      case .readinessChanged(true, _): readyAgents.insert(record.key)
      case .readinessChanged(false, _): readyAgents.remove(record.key)
      }
    case .installation:
      let event = try record.event(InstallationEvent.self)
      var installation = installations[record.key] ?? InstallationView()
      try installation.apply(event)
      installations[record.key] = installation
      recentInstallations?.changes.append((record.key, installation))
      for id in broadcasts.keys { broadcasts[id]?.follow(record.key, installation) }
    case .broadcast:
      switch try record.event(BroadcastEvent.self) {
      case .accepted(let work):
        broadcasts[record.key] = try BroadcastView(work, installations, recentInstallations)
      case .advanced, .erased: break
      case .finished: try finish(broadcast: record.key, at: time)
      }
    case .cometSession:
      // Who says goodbye may be written something on the way out.
      if case .closed(let reason) = try record.event(CometRecord.Event.self), reason != "disconnected" {
        lostSessions.insert(record.key)
      }
    default: break
    }
  }

  private mutating func applySupport(
    _ record: JournalMirror.Record, _ place: UInt64, at time: Timestamp, _ moment: Moment
  ) throws {
    let place = SupportLedger.Place(position: place, epoch: moment.epoch)
    do {
      switch EntityKind(rawValue: record.kind) {
      case .supportRequest:
        try support.apply(
          try record.event(SupportRequestEvent.self), of: record.key, at: time, place, clock: moment.clockSettings
        ) { [acceptedBy] in acceptedBy[$0] != nil }
      case .supportUser:
        try support.apply(try record.event(SupportUserEvent.self), of: record.key, at: time, place)
      default: support.apply(try record.event(SupportAppEvent.self), of: record.key, place)
      }
    } catch let failure as Failure {
      let name = EntityKind(rawValue: record.kind).name ?? ""
      throw Failure(failure.invariant, "\(name) \(record.key): \(failure.detail)")
    }
  }

  private mutating func applyMail(
    _ event: PushEvent, _ record: JournalMirror.Record, _ place: UInt64, at time: Timestamp, _ moment: Moment
  ) throws {
    if case .mailStored(let mail) = event, let broadcast = broadcasts[mail.id.original],
      !broadcast.mayGet.contains(mail.scope)
    {
      throw Failure(.broadcastReachesAll, "\(mail.scope) gets the broadcast \(mail.id) and never matched")
    }
    let isOfDevice = record.key.hasPrefix("gcm-")
    guard isOfDevice || record.key.hasPrefix("ccs-") else { return }
    let place = MailboxView.Place(
      position: place, time: time, epoch: moment.epoch, clockSettings: moment.clockSettings
    ) { [installations] scope in
      let parts = scope.split(separator: "/").map(String.init)
      return parts.count == 2 && Int(parts[1]).map { installations[parts[0]]?.live[$0] != nil } == true
    }
    try mailboxes[record.key, default: MailboxView(isOfDevice: isOfDevice)].apply(event, place)
  }

  /// A message was written to a connection.
  mutating func handOver(_ id: String, from box: String) {
    mailboxes[box]?.handedOver.insert(id)
  }

  /// Each registration that had to get it has got it.
  private mutating func finish(broadcast key: String, at time: Timestamp) throws {
    guard let broadcast = broadcasts[key] else { return }
    broadcasts[key]?.finish()
    guard broadcast.mail.expiry > time else { return }
    for scope in broadcast.owed {
      let box = mailboxes["gcm-\(scope.prefix { $0 != "/" })"]
      let ids = [key, "\(key)%\(scope)"]
      let isThere = ids.contains { box?.known[$0]?.mail.scope == scope || box?.dropped.contains($0) == true }
      if !isThere { throw Failure(.broadcastReachesAll, "the broadcast \(key) is over and \(scope) has not got it") }
    }
  }

  /// A push of a callback is one that the callback asked for.
  private func followCallback(_ id: PushID) throws {
    guard id.producer.hasPrefix(CallbackTrack.producer("")) else { return }
    let key = id.producer.dropFirst(CallbackTrack.producer("").count)
    if callbacks[String(key)]?.pushes.contains(id.number) != true {
      throw Failure(.nothingVisibleBeforeDurable, "push \(id.number) of callback \(key) was never asked for")
    }
  }

  /// How many callbacks have each slot.
  func slots(of service: String) -> [Timestamp: Int] {
    callbacks.values.reduce(into: [:]) { slots, callback in
      if callback.isOpen, callback.serviceName == service, let slot = callback.slot { slots[slot, default: 0] += 1 }
    }
  }

  private func checkCallbacks() throws {
    for service in SimulatedServices.callbackNames {
      if let (slot, count) = slots(of: service).first(where: { $0.value > SimulatedServices.slotCapacity }) {
        throw Failure(.slotsHold, "\(count) callbacks of \(service) have the slot \(slot)")
      }
    }
    var offers: [String: String] = [:]
    for (key, callback) in callbacks where callback.isOpen {
      guard let hold = callback.hold, hold.wasOffered, hold.agentID.hasPrefix(SimulatedAgent.prefix) else { continue }
      if let other = offers.updateValue(key, forKey: hold.agentID) {
        throw Failure(.oneOfferEach, "\(hold.agentID) is given \(key) and \(other)")
      }
    }
  }

  private mutating func accepted(_ id: PushID, by queue: String) throws {
    guard acceptedBy.updateValue(queue, forKey: id) == nil else {
      throw Failure(.onePushOneOutcome, "push \(id) was taken over twice")
    }
  }

  /// What holds once all records of a group commit are in.
  mutating func check(epoch: Int) throws {
    try support.check(epoch: epoch)
    for (key, chat) in chats where !chat.uncovered.isEmpty {
      throw Failure(
        chat.isStated ? .statedIsBrought : .pushForWhatWasMissed,
        "chat \(key): nothing will tell the customer of \(chat.uncovered.sorted())")
    }
    for (key, chat) in chats where chat.noticeIsDue && !chat.isExpired {
      throw Failure(.agentsAreTold, "chat \(key): the agents are not told that the customer is away")
    }
    try checkCallbacks()
    for (key, box) in mailboxes {
      if let (mail, ending) = box.gaveWay.first {
        throw Failure(.mailIsKept, "mailbox \(key): \(mail.id) \(ending.name) for nothing")
      }
    }
    for (key, queue) in queues {
      for (slot, ids) in queue.waitingByCollapseKey where ids.count > 1 + (queue.hasInFlight(among: ids) ? 1 : 0) {
        throw Failure(.newestOfAKeyStays, "queue \(key): \(ids.count) pushes of \(slot) wait")
      }
    }
  }
}

/// A broken promise, found where there is no world to tell.
struct Failure: Error {
  let invariant: Invariant
  let detail: String

  init(_ invariant: Invariant, _ detail: String) {
    self.invariant = invariant
    self.detail = detail
  }
}

/// When the model learns of a record: the simulation's own clock, which nobody sets back.
struct Moment {
  let monotonicMilliseconds: Int64
  /// How often the wall clock has been set.
  let clockSettings: Int
  /// Which process wrote it.
  let life: Int
  /// Counts the moments at which nothing was under way.
  var epoch = 0
}

extension String {
  /// The id of a message without what sets it apart from that of another registration.
  fileprivate var original: String {
    guard let cut = lastIndex(of: "%"), self[cut...].contains("/") else { return self }
    return String(self[..<cut])
  }
}

extension JournalMirror.Record {
  func event<Event: JournaledEvent>(_ type: Event.Type) throws -> Event {
    try payload.withUnsafeBytes { bytes in
      var reader = PayloadReader(bytes)
      return try Event(tag: tag, payload: &reader)
    }
  }
}
