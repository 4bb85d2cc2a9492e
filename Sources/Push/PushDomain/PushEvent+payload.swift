public import EventSourcing

/// The fields of push events, beside those of the value that an event begins with (a message, a push's id, a mail). A
/// number means what it means within its event.
private enum Field {
  static let outcome = PayloadField<FinalPushOutcome>(3)
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
    case .declined(let id, let outcome):
      id.encode(into: &writer)
      writer.put(Field.outcome, outcome)
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
    case 2: self = .declined(try PushID(read), try read.required(Field.outcome))
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
