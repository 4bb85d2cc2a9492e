public import EventSourcing

/// What happened to a request. Tags and field numbers are frozen.
public enum SupportRequestEvent: Sendable, Equatable, Codable {
  /// With its first comment. - Parameter duties: what is owed from now on.
  case created(
    SupportRequestTerms, SupportComment, tags: [String], fields: [SupportField], duties: [SupportDuty])
  /// - Parameter noticeAt: when its notification is to be planned; nil if there is to be none, or it is planned now.
  case commentAdded(SupportComment, noticeAt: Timestamp?, duties: [SupportDuty])
  /// What is nil has not changed. - Parameter by: the number of who changed it; nil if nobody is known.
  case updated(
    by: Int64?, status: SupportStatus?, tags: [String]?, fields: [SupportField], assignee: Int64?, duties: [SupportDuty]
  )
  /// Who is told of a comment. - Parameter duties: one for each part, never empty. Spec: `NotificationPlanned`.
  case notificationPlanned(comment: Int, duties: [SupportDuty])
  /// - Parameter devices: those that are not told; empty for all. Spec: `NotificationSuppressed`.
  case notificationSuppressed(comment: Int, SupportSuppression, devices: [Int])
  /// An open stream has shown a comment whose notification waits.
  case refreshed(comment: Int, device: Int)
  case read(upTo: Int, device: Int?)
  case handedOver(number: Int)
  /// `state` is all that is left, as `encodeState` wrote it.
  case erased(state: [UInt8])
  /// The files of an erased one are gone as well.
  case filesDropped
  /// The alarm was early by the calendar: it is set once more.
  case alarmPutOff

  public static func isRestatement(_ tag: EventTag) -> Bool { tag == 9 }
}

/// The fields of a request's events. A number means the same in every event and is never used again for another.
private enum Field {
  static let terms = PayloadField<SupportRequestTerms>(1)
  /// Whole.
  static let comment = PayloadField<SupportComment>(2)
  static let tags = PayloadField<String>(3)
  static let fields = PayloadField<SupportField>(4)
  static let duties = PayloadField<SupportDuty>(5)
  /// When its notification is to be planned.
  static let noticeAt = PayloadField<Timestamp>(6)
  static let status = PayloadField<SupportStatus>(7)
  /// Maybe to none.
  static let haveTagsChanged = PayloadField<Bool>(8)
  static let assignee = PayloadField<Int64>(9)
  /// Of a comment.
  static let number = PayloadField<Count>(10)
  static let suppression = PayloadField<SupportSuppression>(11)
  static let devices = PayloadField<Packed<Count>>(12)
  static let device = PayloadField<Count>(13)
  /// The number of one.
  static let duty = PayloadField<Count>(14)
  static let state = PayloadField<[UInt8]>(15)
  static let author = PayloadField<Int64>(16)
}

/// The events of a request as the journal holds them. Tags are frozen: never change one, never use one again.
extension SupportRequestEvent: JournaledEvent {
  public var tag: EventTag {
    switch self {
    case .created: 1
    case .commentAdded: 2
    case .updated: 3
    case .notificationPlanned: 4
    case .notificationSuppressed: 5
    case .refreshed: 6
    case .read: 7
    case .handedOver: 8
    case .erased: 9
    case .filesDropped: 10
    case .alarmPutOff: 11
    }
  }

  public func encode(into writer: inout PayloadWriter) {
    switch self {
    case .created(let terms, let comment, let tags, let fields, let duties):
      writer.put(Field.terms, terms)
      writer.put(Field.comment, comment)
      writer.put(each: Field.tags, tags)
      writer.put(each: Field.fields, fields)
      writer.put(each: Field.duties, duties)
    case .commentAdded(let comment, let noticeAt, let duties):
      writer.put(Field.comment, comment)
      writer.put(each: Field.duties, duties)
      writer.put(Field.noticeAt, ifPresent: noticeAt)
    case .updated(let author, let status, let tags, let fields, let assignee, let duties):
      writer.put(each: Field.tags, tags ?? [])
      writer.put(each: Field.fields, fields)
      writer.put(each: Field.duties, duties)
      writer.put(Field.status, ifPresent: status)
      writer.put(Field.haveTagsChanged, ifTrue: tags != nil)
      writer.put(Field.assignee, ifPresent: assignee)
      writer.put(Field.author, ifPresent: author)
    case .notificationPlanned(let comment, let duties):
      writer.put(each: Field.duties, duties)
      writer.put(Field.number, comment)
    case .notificationSuppressed(let comment, let suppression, let devices):
      writer.put(Field.number, comment)
      writer.put(Field.suppression, suppression)
      writer.put(Field.devices, devices)
    case .refreshed(let comment, let device):
      writer.put(Field.number, comment)
      writer.put(Field.device, device)
    case .read(let comment, let device):
      writer.put(Field.number, comment)
      writer.put(Field.device, ifPresent: device)
    case .handedOver(let number): writer.put(Field.duty, number)
    case .erased(let state): writer.put(Field.state, state)
    case .filesDropped, .alarmPutOff: break
    }
  }

  public init(tag: EventTag, payload: inout PayloadReader) throws(PayloadError) {
    let read = try PayloadFields(&payload)
    switch tag {
    case 10: self = .filesDropped
    case 11: self = .alarmPutOff
    case 1:
      self = .created(
        try read.required(Field.terms), try read.required(Field.comment), tags: try read.all(Field.tags),
        fields: try read.all(Field.fields), duties: try read.all(Field.duties))
    case 2:
      self = .commentAdded(
        try read.required(Field.comment), noticeAt: try read[Field.noticeAt], duties: try read.all(Field.duties))
    case 3:
      self = .updated(
        by: try read[Field.author], status: try read[Field.status],
        tags: try read[Field.haveTagsChanged] ?? false ? try read.all(Field.tags) : nil,
        fields: try read.all(Field.fields), assignee: try read[Field.assignee], duties: try read.all(Field.duties))
    case 4:
      let duties = try read.all(Field.duties)
      self = .notificationPlanned(comment: try read.required(Field.number), duties: duties)
    case 5:
      let devices = try read.all(Field.devices)
      self = .notificationSuppressed(
        comment: try read.required(Field.number), try read.required(Field.suppression), devices: devices)
    case 6:
      self = .refreshed(comment: try read.required(Field.number), device: try read.required(Field.device))
    case 7:
      let device = try read[Field.device]
      self = .read(upTo: try read.required(Field.number), device: device)
    case 8: self = .handedOver(number: try read.required(Field.duty))
    case 9:
      let state = try read.required(Field.state)
      // `evolve` asks no questions, so the answer is found here.
      _ = try SupportRequest(stateBytes: state)
      self = .erased(state: state)
    default: throw .unknownTag(tag)
    }
  }
}
