public import EventSourcing

/// What happened to a device's queue. Tags and field numbers are frozen.
public enum PushEvent: Sendable, Equatable, Codable {
  /// The message entered the queue.
  case enqueued(PushMessage)
  /// The message was taken over but never entered the queue.
  case declined(PushID, FinalPushOutcome)
  /// The message left the queue; as a dead letter it is kept for the operator. `answer` is the provider's own name
  /// for it.
  case settled(
    PushID, FinalPushOutcome, attempts: Int, answer: String? = nil, isDeadLetter: Bool = false,
    report: PushReport? = nil)
  /// The attempt failed; the message's producer waits until `until`.
  case retryScheduled(PushID, attempt: Int, until: Timestamp, reason: String, report: PushReport? = nil)
  /// The producer's pause is over.
  case pauseEnded(producer: String)
  /// The address is gone. A `settled` for each message in the queue follows in the same batch.
  case unregistered(reason: String)
  case registered
  /// The producer's highest number is forgotten, to make room.
  case producerForgotten(String)
  /// These messages were erased. `state` is all that is left, as `PushQueue.encodeState` wrote it: it replaces what
  /// stood before. Without messages it is just the queue stated anew.
  case erased([ErasedPush], state: [UInt8])
  /// The courier has the message in its hands from here on.
  /// - Parameter isRepetition: it had begun before, and nobody knows how it ended: it may be delivered twice.
  case attemptBegan(PushID, attempt: Int, isRepetition: Bool = false)
  /// The attempt does not count: the provider has not processed it, or its lane has stopped.
  case attemptReturned(PushID, attempt: Int, reason: String, report: PushReport? = nil)
  /// The operator has put a dead letter back.
  case deadLetterRetried(PushID)
  /// A dead letter is gone: dropped by the operator, too old, or for want of room.
  case deadLetterDropped(PushID)
  /// A message entered the mailbox.
  case mailStored(Mail)
  case mailEnded([EndedMail], MailEnding)
  /// All that waited for the message's scope was dropped, and the message with it: so many in all. It is without its
  /// content. Written by the first version only, which did not tell the senders of a scope apart.
  case mailDropped(Mail, count: Int)
  /// The receiver is to be told that so many more messages of the message's flow are gone. It is without its content.
  /// - Parameter isOpen: they were let go of (`unconfirmed`): what comes next is stored; else it is only counted until
  ///   the receiver has been there.
  case mailNoticed(Mail, count: Int, isOpen: Bool)
  /// The receiver has acknowledged a message over its connection, for the first time.
  case receiverConfirms

  public static func isRestatement(_ tag: EventTag) -> Bool { tag == 9 }
}

/// One message that an erasure ended.
public struct ErasedPush: Sendable, Hashable, Codable {
  public let id: PushID
  /// Attempts that were begun.
  public let attempts: Int

  public init(_ id: PushID, attempts: Int) {
    self.id = id
    self.attempts = attempts
  }
}

extension PushEvent {
  /// Whose record this is; nil for one about the whole queue.
  public var producer: String? {
    switch self {
    case .enqueued(let message): message.producer
    case .declined(let id, _), .settled(let id, _, _, _, _, _), .retryScheduled(let id, _, _, _, _),
      .attemptBegan(let id, _, _), .attemptReturned(let id, _, _, _), .deadLetterRetried(let id),
      .deadLetterDropped(let id):
      id.producer
    case .pauseEnded(let producer), .producerForgotten(let producer): producer
    case .mailStored(let mail), .mailDropped(let mail, _), .mailNoticed(let mail, _, _): mail.scope
    case .unregistered, .registered, .erased, .mailEnded, .receiverConfirms: nil
    }
  }

  /// Everybody whom this record is about: its producer, or those whose messages ended.
  public var producers: [String] {
    if case .mailEnded(let mails, _) = self { return mails.map(\.scope) }
    return producer.map { [$0] } ?? []
  }

  /// True for a restatement that holds messages of one of these producers: it has to go with their own records, after
  /// a later one has taken its place.
  public func holdsMessages(_ isTheirs: (_ producer: String) -> Bool) -> Bool {
    guard case .erased(_, let state) = self, let queue = try? PushQueue(stateBytes: state) else { return false }
    return queue.lanes.contains { isTheirs($0.key) && !$0.value.entries.isEmpty }
      || queue.deadLetters.contains { isTheirs($0.message.producer) }
      || queue.mail.pending.contains { isTheirs($0.scope) }
  }
}
