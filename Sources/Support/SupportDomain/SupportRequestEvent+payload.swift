public import EventSourcing

/// The events of a request as the journal holds them. Tags and field numbers are frozen: never change one, never use
/// one again.
///
/// | field | content |
/// |---|---|
/// | 1 | terms |
/// | 2 | comment, whole |
/// | 3 | tag… |
/// | 4 | field… |
/// | 5 | duty… |
/// | 6 | when its notification is to be planned |
/// | 7 | status |
/// | 8 | the tags have changed, maybe to none |
/// | 9 | assignee |
/// | 10 | number of a comment |
/// | 11 | why: `SupportSuppression` |
/// | 12 | devices, packed |
/// | 13 | device |
/// | 14 | number of a duty |
/// | 15 | state |
/// | 16 | who |
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
      writer.part(1, terms)
      writer.part(2, comment)
      writer.texts(3, tags)
      writer.parts(4, fields)
      writer.parts(5, duties)
    case .commentAdded(let comment, let noticeAt, let duties):
      writer.part(2, comment)
      writer.parts(5, duties)
      writer.time(6, ifPresent: noticeAt)
    case .updated(let author, let status, let tags, let fields, let assignee, let duties):
      if let tags { writer.texts(3, tags) }
      writer.parts(4, fields)
      writer.parts(5, duties)
      if let status { writer.code(7, status) }
      writer.bool(8, ifTrue: tags != nil)
      writer.signed(9, ifPresent: assignee)
      writer.signed(16, ifPresent: author)
    case .notificationPlanned(let comment, let duties):
      writer.parts(5, duties)
      writer.integer(10, comment)
    case .notificationSuppressed(let comment, let suppression, let devices):
      writer.integer(10, comment)
      writer.code(11, suppression)
      writer.counts(12, devices)
    case .refreshed(let comment, let device):
      writer.integer(10, comment)
      writer.integer(13, device)
    case .read(let comment, let device):
      writer.integer(10, comment)
      writer.integer(13, ifPresent: device)
    case .handedOver(let number): writer.integer(14, number)
    case .erased(let state): writer.data(15, state)
    case .filesDropped, .alarmPutOff: break
    }
  }

  public init(tag: EventTag, payload: inout PayloadReader) throws(PayloadError) {
    let read = try EventFields(payload: &payload)
    switch tag {
    case 1:
      self = .created(
        try read.terms.required(1), try read.comment.required(2), tags: read.tags, fields: read.fields,
        duties: read.duties)
    case 2: self = .commentAdded(try read.comment.required(2), noticeAt: read.noticeAt, duties: read.duties)
    case 3:
      self = .updated(
        by: read.author, status: read.status, tags: read.haveTagsChanged ? read.tags : nil, fields: read.fields,
        assignee: read.assignee, duties: read.duties)
    case 4: self = .notificationPlanned(comment: try read.number.required(10), duties: read.duties)
    case 5:
      self = .notificationSuppressed(
        comment: try read.number.required(10), try read.suppression.required(11), devices: read.devices)
    case 6: self = .refreshed(comment: try read.number.required(10), device: try read.device.required(13))
    case 7: self = .read(upTo: try read.number.required(10), device: read.device)
    case 8: self = .handedOver(number: try read.duty.required(14))
    case 9:
      let state = try read.state.required(15)
      // `evolve` asks no questions, so the answer is found here.
      _ = try SupportRequest(stateBytes: state)
      self = .erased(state: state)
    case 10: self = .filesDropped
    case 11: self = .alarmPutOff
    default: throw .unknownTag(tag)
    }
  }
}

/// Whatever an event's payload holds.
private struct EventFields {
  var terms: SupportRequestTerms?
  var comment: SupportComment?
  var tags: [String] = []
  var fields: [SupportField] = []
  var duties: [SupportDuty] = []
  var noticeAt: Timestamp?
  var status: SupportStatus?
  var haveTagsChanged = false
  var assignee: Int64?
  var number: Int?
  var suppression: SupportSuppression?
  var devices: [Int] = []
  var device: Int?
  var duty: Int?
  var state: [UInt8]?
  var author: Int64?

  init(payload: inout PayloadReader) throws(PayloadError) {
    while let field = try payload.next() {
      switch field {
      case 1: terms = try payload.part()
      case 2: comment = try payload.part()
      case 3: tags.append(try payload.text())
      case 4: fields.append(try payload.part())
      case 5: duties.append(try payload.part())
      case 6: noticeAt = try payload.time()
      case 7: status = try payload.code(field)
      case 8: haveTagsChanged = try payload.bool()
      case 9: assignee = try payload.signed()
      case 10: number = try payload.count(field)
      case 11: suppression = try payload.code(field)
      case 12: devices += try payload.counts(field)
      case 13: device = try payload.count(field)
      case 14: duty = try payload.count(field)
      case 15: state = try payload.data()
      case 16: author = try payload.signed()
      default: try payload.skip()
      }
    }
  }
}
