public import EventSourcing

/// What happened to a device's queue. Tags and field numbers are frozen.
public enum PushEvent: Sendable, Equatable, Codable {
  /// The message entered the queue.
  case enqueued(PushMessage)
  /// The message was taken over but never entered the queue.
  /// - Parameter submissionID: of the message, if the queue gave it its number.
  case declined(PushID, FinalPushOutcome, submissionID: String? = nil)
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
  /// The producer's numbers are forgotten, to make room.
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
    case .declined(let id, _, _), .settled(let id, _, _, _, _, _), .retryScheduled(let id, _, _, _, _),
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

/// The fields of push events, beside those of the value that an event begins with (a message, a push's id, a mail). A
/// number means what it means within its event.
private enum Field {
  static let outcome = PayloadField<FinalPushOutcome>(3)
  static let submissionID = PayloadField<String>(4)
  static let attempts = PayloadField<Int>(4)
  static let answer = PayloadField<String>(5)
  static let isDeadLetter = PayloadField<Bool>(6)
  static let settledReport = PayloadField<PushReport>(7)

  static let attempt = PayloadField<Count>(3)
  static let until = PayloadField<Timestamp>(4)
  static let isRepetition = PayloadField<Bool>(4)
  static let attemptReason = PayloadField<String>(5)
  static let attemptReport = PayloadField<PushReport>(6)

  static let producer = PayloadField<String>(1)
  static let reason = PayloadField<String>(1)

  static let erased = PayloadField<ErasedPush>(1)
  static let state = PayloadField<[UInt8]>(2)

  static let ending = PayloadField<MailEnding>(1)
  static let ended = PayloadField<EndedMail>(2)
}

extension PushEvent: JournaledEvent {
  public var tag: EventTag {
    switch self {
    case .enqueued: 1
    case .declined: 2
    case .settled: 3
    case .retryScheduled: 4
    case .pauseEnded: 5
    case .unregistered: 6
    case .registered: 7
    case .producerForgotten: 8
    case .erased: 9
    case .attemptBegan: 10
    case .attemptReturned: 11
    case .deadLetterRetried: 12
    case .deadLetterDropped: 13
    case .mailStored: 14
    case .mailEnded: 15
    case .mailDropped: 16
    case .mailNoticed: 24
    case .receiverConfirms: 25
    }
  }

  public func encode(into writer: inout PayloadWriter) {
    switch self {
    case .enqueued(let message): message.encode(into: &writer)
    case .declined(let id, let outcome, let submissionID):
      id.encode(into: &writer)
      writer.put(Field.outcome, outcome)
      writer.put(Field.submissionID, ifPresent: submissionID)
    case .settled(let id, let outcome, let attempts, let answer, let isDeadLetter, let report):
      id.encode(into: &writer)
      writer.put(Field.outcome, outcome)
      writer.put(Field.attempts, attempts)
      writer.put(Field.answer, ifPresent: answer)
      writer.put(Field.isDeadLetter, ifTrue: isDeadLetter)
      writer.put(Field.settledReport, ifPresent: report)
    case .retryScheduled(let id, let attempt, let until, let reason, let report):
      id.encode(into: &writer)
      writer.put(Field.attempt, attempt)
      writer.put(Field.until, until)
      writer.put(Field.attemptReason, ifNotEmpty: reason)
      writer.put(Field.attemptReport, ifPresent: report)
    case .attemptBegan(let id, let attempt, let isRepetition):
      id.encode(into: &writer)
      writer.put(Field.attempt, attempt)
      writer.put(Field.isRepetition, ifTrue: isRepetition)
    case .attemptReturned(let id, let attempt, let reason, let report):
      id.encode(into: &writer)
      writer.put(Field.attempt, attempt)
      writer.put(Field.attemptReason, ifNotEmpty: reason)
      writer.put(Field.attemptReport, ifPresent: report)
    case .deadLetterRetried(let id), .deadLetterDropped(let id): id.encode(into: &writer)
    case .pauseEnded(let producer), .producerForgotten(let producer): writer.put(Field.producer, producer)
    case .unregistered(let reason): writer.put(Field.reason, reason)
    case .registered, .receiverConfirms: break
    case .erased(let pushes, let state):
      writer.put(each: Field.erased, pushes)
      writer.put(Field.state, state)
    case .mailStored(let mail): mail.encode(into: &writer)
    case .mailEnded(let mails, let ending):
      writer.put(Field.ending, ending)
      writer.put(each: Field.ended, mails)
    case .mailDropped(let mail, let count): MailNotice(mail, count: count).encode(into: &writer)
    case .mailNoticed(let mail, let count, let isOpen):
      MailNotice(mail, count: count, isOpen: isOpen).encode(into: &writer)
    }
  }

  public init(tag: EventTag, payload: inout PayloadReader) throws(PayloadError) {
    switch tag {
    case 1: self = .enqueued(try PushMessage(payload: &payload))
    case 12: self = .deadLetterRetried(try PushID(payload: &payload))
    case 13: self = .deadLetterDropped(try PushID(payload: &payload))
    case 14: self = .mailStored(try Mail(payload: &payload))
    case 16:
      let notice = try MailNotice(payload: &payload)
      self = .mailDropped(notice.last, count: notice.count)
    case 24:
      let notice = try MailNotice(payload: &payload)
      self = .mailNoticed(notice.last, count: notice.count, isOpen: notice.isOpen)
    default: try self.init(tag, try PayloadFields(&payload))
    }
  }

  private init(_ tag: EventTag, _ read: PayloadFields) throws(PayloadError) {
    switch tag {
    case 2:
      self = .declined(
        try PushID(read), try read.required(Field.outcome), submissionID: try read[Field.submissionID])
    case 3:
      self = .settled(
        try PushID(read), try read.required(Field.outcome), attempts: try read[Field.attempts] ?? 0,
        answer: try read[Field.answer], isDeadLetter: try read[Field.isDeadLetter] ?? false,
        report: try read[Field.settledReport])
    case 4:
      self = .retryScheduled(
        try PushID(read), attempt: try read.required(Field.attempt), until: try read.required(Field.until),
        reason: try read[Field.attemptReason] ?? "", report: try read[Field.attemptReport])
    case 5: self = .pauseEnded(producer: try read.required(Field.producer))
    case 6: self = .unregistered(reason: try read.required(Field.reason))
    case 7: self = .registered
    case 8: self = .producerForgotten(try read.required(Field.producer))
    case 9:
      let pushes = try read.all(Field.erased)
      let state = try read.required(Field.state)
      // `evolve` asks no questions, so the answer is found here.
      _ = try PushQueue(stateBytes: state)
      self = .erased(pushes, state: state)
    case 10:
      self = .attemptBegan(
        try PushID(read), attempt: try read.required(Field.attempt),
        isRepetition: try read[Field.isRepetition] ?? false)
    case 11:
      self = .attemptReturned(
        try PushID(read), attempt: try read.required(Field.attempt), reason: try read[Field.attemptReason] ?? "",
        report: try read[Field.attemptReport])
    case 15:
      let mails = try read.all(Field.ended)
      self = .mailEnded(mails, try read.required(Field.ending))
    case 25: self = .receiverConfirms
    default: throw .unknownTag(tag)
    }
  }
}
