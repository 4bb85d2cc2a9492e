public import EventSourcing

/// What a device's queue can be told. Nothing is ever rejected: every enqueued message ends in a `FinalPushOutcome`.
public enum PushCommand: Sendable, Equatable {
  /// A repetition (`PushStanding.known`) changes nothing and gives no event. Pushes of one producer may overtake each
  /// other; one that comes too late to be known (`PushStanding.outrun`) ends at once, unsent, with that as its reason.
  /// - Parameter hasPlace: its courier lane has a place for it: its attempt begins in the same turn if it is what `begin`
  ///   would choose. `PushQueue.attempt` says whether it did; if not, the place has to be given back.
  case enqueue(PushMessage, limits: PushLimits = PushLimits(), hasPlace: Bool = false)
  /// As `enqueue`, from a producer that keeps no count: the message is given the producer's next number. One whose
  /// `PushMessage.submissionID` came already (`RecentIDs`) changes nothing.
  case submit(PushMessage, limits: PushLimits = PushLimits())
  /// Takes the push over and ends it at once, unsent; a repetition changes nothing.
  case decline(PushID, reason: String)
  /// The courier lane has room: the next message goes out. `PushQueue.attempt` says which, if there is one.
  case begin(limits: PushLimits = PushLimits())
  /// The end of the attempt that `begin` gave out. An answer to anything but the running attempt changes nothing.
  case attemptEnded(
    PushID, attempt: Int, PushOutcome, schedule: PushSchedule = PushSchedule(), report: PushReport = PushReport())
  /// `PushTimer.retry` fired.
  case retryDue(producer: String, limits: PushLimits = PushLimits())
  /// `PushTimer.expiry` fired.
  case expiryDue(limits: PushLimits = PushLimits())
  /// The address is gone, learnt elsewhere than from a delivery.
  case unregister(reason: String)
  /// The device showed the address again: pushes are taken again.
  case register
  /// The address belongs to somebody else now: what is for anybody else ends, in flight or not, and as a dead letter.
  case handOver(to: String)
  /// What is for this owner ends, in flight or not, and as a dead letter: it is not to be told here any more.
  case withdraw(owner: String, reason: String)
  /// Puts a dead letter back into the queue, with all its attempts before it. Spec: providers 4.4.
  case retryDeadLetter(PushID)
  case dropDeadLetter(PushID)
  /// Puts a message into the mailbox of a receiver with a connection of its own. One that is there already, by its id
  /// and scope, or has left it not long ago (`RecentIDs`), changes nothing.
  case store(Mail, receiver: MailReceiver, limits: MailLimits = MailLimits())
  /// The receiver has these messages. Unknown ids change nothing.
  case acknowledge([String])
  /// As `acknowledge`, said over the receiver's live connection: it is one that confirms what it gets.
  case confirm([String])
  /// The registration is gone: what waits for it ends.
  case endScope(String)
  /// Erases every message and dead letter of these producers, also what is in flight. Their numbers stay known.
  /// Nothing happens if no message of theirs ever came or is remembered.
  case erase(producers: [String])
  /// States the whole queue anew, so that records before this moment can be erased.
  case restate
}

/// What a device's queue wants done outside, once the event that caused it is durable: by one of its two halves.
public enum PushEffect: Sendable, Equatable {
  case courier(CourierEffect)
  case mail(MailEffect)
}

/// What pushes that a courier takes want done.
public enum CourierEffect: Sendable, Equatable {
  /// There is something to send: the courier lane is to answer with `PushCommand.begin` when it has room.
  /// Comes again if something more urgent has come.
  case ready(PushPriority, since: Timestamp)
  /// Replaces a timer of the same name.
  case startTimer(PushTimer, at: Timestamp)
  case cancelTimer(PushTimer)
  /// The producer owes this push no longer.
  case accepted(PushID)
  /// For metrics and logs; comes once for each message. `attempts` counts those that were begun.
  case settled(PushID, FinalPushOutcome, attempts: Int)
  /// A provider has said that the address is gone.
  case addressGone(reason: String)
  /// The number of dead letters has changed.
  case deadLetters(Int)
}

/// What the mailbox of a receiver with a connection of its own wants done.
public enum MailEffect: Sendable, Equatable {
  /// A message can be written to the receiver's connection.
  case waits(Mail)
  /// Messages have left the mailbox.
  case ended([EndedMail], MailEnding)
  /// A message was dropped with all that waited for its scope.
  case dropped(Mail, count: Int)
  /// The receiver has to be told that messages are gone, the last of them (or what stands for it) is named.
  case noticed(Mail, count: Int, isOpen: Bool)
}

extension PushEffect {
  public static func ready(_ priority: PushPriority, since: Timestamp) -> Self {
    .courier(.ready(priority, since: since))
  }
  public static func startTimer(_ timer: PushTimer, at deadline: Timestamp) -> Self {
    .courier(.startTimer(timer, at: deadline))
  }
  public static func cancelTimer(_ timer: PushTimer) -> Self { .courier(.cancelTimer(timer)) }
  public static func accepted(_ id: PushID) -> Self { .courier(.accepted(id)) }
  public static func settled(_ id: PushID, _ outcome: FinalPushOutcome, attempts: Int) -> Self {
    .courier(.settled(id, outcome, attempts: attempts))
  }
  public static func addressGone(reason: String) -> Self { .courier(.addressGone(reason: reason)) }
  public static func deadLetters(_ count: Int) -> Self { .courier(.deadLetters(count)) }
  public static func mailWaits(_ mail: Mail) -> Self { .mail(.waits(mail)) }
  public static func mailEnded(_ mails: [EndedMail], _ ending: MailEnding) -> Self { .mail(.ended(mails, ending)) }
  public static func mailDropped(_ last: Mail, count: Int) -> Self { .mail(.dropped(last, count: count)) }
  public static func mailNoticed(_ last: Mail, count: Int, isOpen: Bool) -> Self {
    .mail(.noticed(last, count: count, isOpen: isOpen))
  }
}

public enum PushTimer: Sendable, Hashable {
  /// Fires `retryDue(producer:)`.
  case retry(producer: String)
  /// Fires `expiryDue`.
  case expiry
}
