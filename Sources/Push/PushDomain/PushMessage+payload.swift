internal import EventSourcing

// The stored form of a message. Field numbers are frozen.
extension PushMessage {
  func encode(into writer: inout PayloadWriter) {
    writer.text(1, producer)
    writer.integer(2, number)
    writer.text(3, tag)
    writer.text(4, alert)
    writer.data(5, content)
    if let compactContent { writer.data(6, compactContent) }
    writer.text(7, service)
    writer.nested(8) { target.encode(into: &$0) }
    writer.integer(9, attemptsMaximum)
    if let expiry { writer.time(10, expiry) }
    writer.text(11, ifPresent: collapseKey)
    writer.unsigned(12, UInt64(priority.rawValue))
    if isNowOrNever { writer.bool(13, true) }
    if let display { writer.nested(14) { display.encode(into: &$0) } }
    if form != .message { writer.unsigned(15, UInt64(form.rawValue)) }
    writer.text(16, ifPresent: owner)
    if let registeredAt { writer.time(17, registeredAt) }
  }

  init(payload: inout PayloadReader) throws(PayloadError) {
    var producer: String?, number: Int?, tag: String?, service: String?, target: PushAddress?
    var alert: String?, collapseKey: String?
    var content: [UInt8]?, compactContent: [UInt8]?
    var attemptsMaximum: Int?
    var expiry: Timestamp?
    var priority: PushPriority?
    var isNowOrNever = false
    var display: PushDisplay?
    var form = PushContentForm.message
    var owner: String?
    var registeredAt: Timestamp?
    while let field = try payload.next() {
      switch field {
      case 1: producer = try payload.text()
      case 2: number = try payload.integer()
      case 3: tag = try payload.text()
      case 4: alert = try payload.text()
      case 5: content = try payload.data()
      case 6: compactContent = try payload.data()
      case 7: service = try payload.text()
      case 8:
        var inner = try payload.nested()
        target = try PushAddress(payload: &inner)
      case 9: attemptsMaximum = try payload.integer()
      case 10: expiry = try payload.time()
      case 11: collapseKey = try payload.text()
      case 12:
        guard let raw = UInt8(exactly: try payload.unsigned()), let known = PushPriority(rawValue: raw) else {
          throw .outOfRange(field: 12)
        }
        priority = known
      case 13: isNowOrNever = try payload.bool()
      case 14:
        var inner = try payload.nested()
        display = try PushDisplay(payload: &inner)
      case 15:
        guard let raw = UInt8(exactly: try payload.unsigned()), let known = PushContentForm(rawValue: raw) else {
          throw .outOfRange(field: 15)
        }
        form = known
      case 16: owner = try payload.text()
      case 17: registeredAt = try payload.time()
      default: try payload.skip()
      }
    }
    guard let producer else { throw .missingField(1) }
    guard let number else { throw .missingField(2) }
    guard let tag else { throw .missingField(3) }
    guard let alert else { throw .missingField(4) }
    guard let content else { throw .missingField(5) }
    guard let service else { throw .missingField(7) }
    guard let target else { throw .missingField(8) }
    guard let attemptsMaximum else { throw .missingField(9) }
    guard let priority else { throw .missingField(12) }
    self.init(
      producer: producer, number: number, tag: tag, alert: alert, content: content, compactContent: compactContent,
      service: service, target: target, attemptsMaximum: attemptsMaximum, expiry: expiry, collapseKey: collapseKey,
      priority: priority, isNowOrNever: isNowOrNever, display: display, form: form, owner: owner,
      registeredAt: registeredAt)
  }
}

extension PushAddress {
  func encode(into writer: inout PayloadWriter) {
    writer.text(1, type)
    writer.text(2, deviceID)
    writer.text(3, ifPresent: provider)
    writer.text(4, ifPresent: language)
    if debug { writer.bool(5, true) }
    writer.text(6, ifPresent: authorization)
  }

  init(payload: inout PayloadReader) throws(PayloadError) {
    var type: String?, deviceID: String?, provider: String?, language: String?, authorization: String?
    var debug = false
    while let field = try payload.next() {
      switch field {
      case 1: type = try payload.text()
      case 2: deviceID = try payload.text()
      case 3: provider = try payload.text()
      case 4: language = try payload.text()
      case 5: debug = try payload.bool()
      case 6: authorization = try payload.text()
      default: try payload.skip()
      }
    }
    guard let type else { throw .missingField(1) }
    guard let deviceID else { throw .missingField(2) }
    self.init(
      type: type, deviceID: deviceID, provider: provider, language: language, debug: debug,
      authorization: authorization)
  }
}
