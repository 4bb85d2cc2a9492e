public import EventSourcing

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
    case .enqueued(let message):
      message.encode(into: &writer)
    case .declined(let id, let outcome):
      id.encode(into: &writer)
      writer.nested(3) { outcome.encode(into: &$0) }
    case .settled(let id, let outcome, let attempts, let answer, let isDeadLetter, let report):
      id.encode(into: &writer)
      writer.nested(3) { outcome.encode(into: &$0) }
      writer.integer(4, attempts)
      writer.text(5, ifPresent: answer)
      if isDeadLetter { writer.bool(6, true) }
      if let report { writer.nested(7) { report.encode(into: &$0) } }
    case .retryScheduled(let id, let attempt, let until, let reason, let report):
      id.encode(into: &writer)
      writer.integer(3, attempt)
      writer.time(4, until)
      writer.text(5, ifNotEmpty: reason)
      if let report { writer.nested(6) { report.encode(into: &$0) } }
    case .attemptBegan(let id, let attempt, let isRepetition):
      id.encode(into: &writer)
      writer.integer(3, attempt)
      if isRepetition { writer.bool(4, true) }
    case .attemptReturned(let id, let attempt, let reason, let report):
      id.encode(into: &writer)
      writer.integer(3, attempt)
      writer.text(5, ifNotEmpty: reason)
      if let report { writer.nested(6) { report.encode(into: &$0) } }
    case .deadLetterRetried(let id), .deadLetterDropped(let id):
      id.encode(into: &writer)
    case .pauseEnded(let producer), .producerForgotten(let producer):
      writer.text(1, producer)
    case .unregistered(let reason):
      writer.text(1, reason)
    case .registered:
      break
    case .erased(let pushes, let state):
      for push in pushes {
        writer.nested(1) { inner in
          push.id.encode(into: &inner)
          if push.attempts != 0 { inner.integer(3, push.attempts) }
        }
      }
      writer.data(2, state)
    case .mailStored(let mail):
      mail.encode(into: &writer)
    case .mailEnded(let mails, let ending):
      writer.unsigned(1, UInt64(ending.rawValue))
      for mail in mails { writer.nested(2) { mail.encode(into: &$0) } }
    case .mailDropped(let mail, let count):
      writer.nested(1) { mail.encode(into: &$0) }
      writer.integer(2, count)
    case .mailNoticed(let mail, let count, let isOpen):
      MailNotice(mail, count: count, isOpen: isOpen).encode(into: &writer)
    case .receiverConfirms:
      break
    }
  }

  public init(tag: EventTag, payload: inout PayloadReader) throws(PayloadError) {
    switch tag {
    case 1: self = .enqueued(try PushMessage(payload: &payload))
    case 2, 3: self = try Self.ending(tag: tag, payload: &payload)
    case 4: self = try Self.retry(payload: &payload)
    case 5: self = .pauseEnded(producer: try Self.onlyText(payload: &payload))
    case 6: self = .unregistered(reason: try Self.onlyText(payload: &payload))
    case 7: self = .registered
    case 8: self = .producerForgotten(try Self.onlyText(payload: &payload))
    case 9: self = try Self.erased(payload: &payload)
    case 10, 11: self = try Self.attempt(tag: tag, payload: &payload)
    case 12: self = .deadLetterRetried(try PushID(payload: &payload))
    case 13: self = .deadLetterDropped(try PushID(payload: &payload))
    case 14: self = .mailStored(try Mail(payload: &payload))
    case 15: self = try Self.mailEnded(payload: &payload)
    case 16:
      let notice = try MailNotice(payload: &payload)
      self = .mailDropped(notice.last, count: notice.count)
    case 24:
      let notice = try MailNotice(payload: &payload)
      self = .mailNoticed(notice.last, count: notice.count, isOpen: notice.isOpen)
    case 25: self = .receiverConfirms
    default: throw .unknownTag(tag)
    }
  }

  private static func mailEnded(payload: inout PayloadReader) throws(PayloadError) -> PushEvent {
    var mails: [EndedMail] = []
    var ending: MailEnding?
    while let field = try payload.next() {
      switch field {
      case 1:
        guard let raw = UInt8(exactly: try payload.unsigned()), let known = MailEnding(rawValue: raw) else {
          throw .outOfRange(field: 1)
        }
        ending = known
      case 2:
        var inner = try payload.nested()
        mails.append(try EndedMail(payload: &inner))
      default: try payload.skip()
      }
    }
    guard let ending else { throw .missingField(1) }
    return .mailEnded(mails, ending)
  }

  private static func ending(tag: EventTag, payload: inout PayloadReader) throws(PayloadError) -> PushEvent {
    var producer: String?, number: Int?, outcome: FinalPushOutcome?, answer: String?
    var attempts = 0
    var isDeadLetter = false
    var report: PushReport?
    while let field = try payload.next() {
      switch field {
      case 1: producer = try payload.text()
      case 2: number = try payload.integer()
      case 3:
        var inner = try payload.nested()
        outcome = try FinalPushOutcome(payload: &inner)
      case 4: attempts = try payload.integer()
      case 5: answer = try payload.text()
      case 6: isDeadLetter = try payload.bool()
      case 7: report = try PushReport(within: &payload)
      default: try payload.skip()
      }
    }
    let id = try PushID(producer, number)
    guard let outcome else { throw .missingField(3) }
    return tag == 2
      ? .declined(id, outcome)
      : .settled(id, outcome, attempts: attempts, answer: answer, isDeadLetter: isDeadLetter, report: report)
  }

  private static func attempt(tag: EventTag, payload: inout PayloadReader) throws(PayloadError) -> PushEvent {
    var producer: String?, number: Int?, attempt: Int?
    var reason = ""
    var isRepetition = false
    var report: PushReport?
    while let field = try payload.next() {
      switch field {
      case 1: producer = try payload.text()
      case 2: number = try payload.integer()
      case 3: attempt = try payload.count(field)
      case 4: isRepetition = try payload.bool()
      case 5: reason = try payload.text()
      case 6: report = try PushReport(within: &payload)
      default: try payload.skip()
      }
    }
    let id = try PushID(producer, number)
    guard let attempt else { throw .missingField(3) }
    return tag == 10
      ? .attemptBegan(id, attempt: attempt, isRepetition: isRepetition)
      : .attemptReturned(id, attempt: attempt, reason: reason, report: report)
  }

  private static func retry(payload: inout PayloadReader) throws(PayloadError) -> PushEvent {
    var producer: String?, number: Int?, attempt: Int?, until: Timestamp?
    var reason = ""
    var report: PushReport?
    while let field = try payload.next() {
      switch field {
      case 1: producer = try payload.text()
      case 2: number = try payload.integer()
      case 3: attempt = try payload.count(field)
      case 4: until = try payload.time()
      case 5: reason = try payload.text()
      case 6: report = try PushReport(within: &payload)
      default: try payload.skip()
      }
    }
    let id = try PushID(producer, number)
    guard let attempt else { throw .missingField(3) }
    guard let until else { throw .missingField(4) }
    return .retryScheduled(id, attempt: attempt, until: until, reason: reason, report: report)
  }

  private static func erased(payload: inout PayloadReader) throws(PayloadError) -> PushEvent {
    var pushes: [ErasedPush] = []
    var state: [UInt8]?
    while let field = try payload.next() {
      switch field {
      case 1:
        var inner = try payload.nested()
        pushes.append(try ErasedPush(payload: &inner))
      case 2: state = try payload.data()
      default: try payload.skip()
      }
    }
    guard let state else { throw .missingField(2) }
    // `evolve` asks no questions, so the answer is found here.
    _ = try PushQueue(stateBytes: state)
    return .erased(pushes, state: state)
  }

  private static func onlyText(payload: inout PayloadReader) throws(PayloadError) -> String {
    var text: String?
    while let field = try payload.next() {
      if field == 1 { text = try payload.text() } else { try payload.skip() }
    }
    guard let text else { throw .missingField(1) }
    return text
  }
}

extension PushID {
  func encode(into writer: inout PayloadWriter) {
    writer.text(1, producer)
    writer.integer(2, number)
  }

  init(payload: inout PayloadReader) throws(PayloadError) {
    var producer: String?, number: Int?
    while let field = try payload.next() {
      switch field {
      case 1: producer = try payload.text()
      case 2: number = try payload.integer()
      default: try payload.skip()
      }
    }
    try self.init(producer, number)
  }

  init(_ producer: String?, _ number: Int?) throws(PayloadError) {
    guard let producer else { throw .missingField(1) }
    guard let number else { throw .missingField(2) }
    self.init(producer: producer, number: number)
  }
}

extension ErasedPush {
  fileprivate init(payload: inout PayloadReader) throws(PayloadError) {
    var producer: String?, number: Int?
    var attempts = 0
    while let field = try payload.next() {
      switch field {
      case 1: producer = try payload.text()
      case 2: number = try payload.integer()
      case 3: attempts = try payload.integer()
      default: try payload.skip()
      }
    }
    self.init(try PushID(producer, number), attempts: attempts)
  }
}

/// Reason 1 (absent: the outcome says it), answer 2, may be delivered 3 (absent: no), rejection 4 (absent: no). Field
/// numbers are frozen.
extension PushReport {
  func encode(into writer: inout PayloadWriter) {
    writer.text(1, ifPresent: reason)
    writer.text(2, ifPresent: answer)
    if mayBeDelivered { writer.bool(3, true) }
    if isRejection { writer.bool(4, true) }
  }

  init(within payload: inout PayloadReader) throws(PayloadError) {
    var inner = try payload.nested()
    self.init()
    while let field = try inner.next() {
      switch field {
      case 1: reason = try inner.text()
      case 2: answer = try inner.text()
      case 3: mayBeDelivered = try inner.bool()
      case 4: isRejection = try inner.bool()
      default: try inner.skip()
      }
    }
  }
}

extension FinalPushOutcome {
  private var code: UInt64 {
    switch self {
    case .delivered: 1
    case .refused: 2
    case .failed: 3
    case .expired: 4
    case .collapsed: 5
    case .overflowed: 6
    case .unregistered: 7
    case .erased: 8
    }
  }

  func encode(into writer: inout PayloadWriter) {
    writer.unsigned(1, code)
    writer.text(2, ifNotEmpty: reason ?? "")
  }

  init(payload: inout PayloadReader) throws(PayloadError) {
    var code: UInt64?
    var reason = ""
    while let field = try payload.next() {
      switch field {
      case 1: code = try payload.unsigned()
      case 2: reason = try payload.text()
      default: try payload.skip()
      }
    }
    switch code {
    case nil: throw .missingField(1)
    case 1: self = .delivered
    case 2: self = .refused(reason: reason)
    case 3: self = .failed(reason: reason)
    case 4: self = .expired
    case 5: self = .collapsed
    case 6: self = .overflowed
    case 7: self = .unregistered(reason: reason)
    case 8: self = .erased
    default: throw .outOfRange(field: 1)
    }
  }
}
