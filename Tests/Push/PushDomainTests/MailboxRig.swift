import EventSourcing
import PushDomain
import Testing

/// Drives the mailbox of one queue as the runtime does.
struct MailboxRig {
  private(set) var queue = PushQueue()
  private(set) var journal: [(event: StoredEvent, time: Timestamp)] = []
  var now = Timestamp(milliseconds: 1_770_000_000_000)
  var receiver = MailReceiver.absent
  var limits = MailLimits()

  /// What the mailbox says of it; timers left out.
  @discardableResult
  mutating func send(_ command: PushCommand) throws -> [PushEffect] {
    var effects: [PushEffect] = []
    for event in queue.decide(command, now: now) {
      let stored = StoredEvent(event)
      #expect(try stored.decoded(as: PushEvent.self) == event)
      journal.append((stored, now))
      queue.evolve(event, at: now)
      effects += queue.react(to: event)
    }
    return effects.filter {
      switch $0 {
      case .courier(.startTimer), .courier(.cancelTimer): false
      default: true
      }
    }
  }

  @discardableResult
  mutating func store(_ mail: Mail) throws -> [PushEffect] {
    try send(.store(mail, receiver: receiver, limits: limits))
  }

  mutating func pass(_ duration: Duration) { now = now.advanced(by: duration) }

  var pending: [String] { queue.mail.pending.map(\.id) }

  /// The messages that notices tell of.
  var told: Int {
    queue.mail.pending.reduce(0) { sum, mail in
      sum + (mail.pairs.first { $0.key == "total_deleted" }.flatMap { Int($0.value) } ?? 0)
    }
  }

  /// The state of a new process: replayed, and out of a snapshot. Both must be what this one has.
  mutating func restart() throws {
    var replayed = PushQueue()
    for (event, time) in journal { replayed.evolve(try event.decoded(as: PushEvent.self), at: time) }
    #expect(replayed == queue)
    #expect(try PushQueue(stateBytes: queue.stateBytes) == queue)
    queue = replayed
  }

  func mail(
    _ id: String, scope: String = "77/1", key: String? = nil, sender: String = "123", priority: PushPriority = .normal,
    waits: Bool = false, seconds: Int = 2_419_200, bytes: Int = 0, receiptFor: String? = nil,
    rawData: [UInt8]? = nil
  ) -> Mail {
    Mail(
      id: id, scope: scope, origin: sender, category: "org.example", collapseKey: key, sender: sender,
      priority: priority, waitsWhileIdle: waits, acceptedAt: now, timeToLive: seconds,
      pairs: [MailPair("k", String(repeating: "x", count: bytes))], rawData: rawData, receiptFor: receiptFor)
  }
}

extension [PushEffect] {
  /// How messages left, by their ids.
  var endings: [MailEnding: [String]] {
    reduce(into: [:]) { all, effect in
      if case .mail(.ended(let mails, let ending)) = effect { all[ending, default: []] += mails.map(\.id) }
    }
  }

  /// What can be written to a connection.
  var waiting: [String] {
    compactMap { if case .mail(.waits(let mail)) = $0 { mail.id } else { nil } }
  }
}
