internal import EventSourcing

// The stored form of a message in a mailbox. Field numbers are frozen.
extension Mail {
  /// Seconds; more than any protocol allows.
  private static let timeToLiveMaximum = 31_536_000

  func encode(into writer: inout PayloadWriter) {
    writer.text(1, id)
    writer.text(2, scope)
    writer.text(3, origin)
    writer.text(4, category)
    writer.text(5, ifPresent: collapseKey)
    if sender != origin { writer.text(6, sender) }
    writer.unsigned(7, UInt64(priority.rawValue))
    if waitsWhileIdle { writer.bool(8, true) }
    writer.time(9, acceptedAt)
    writer.integer(10, timeToLive)
    for pair in pairs {
      writer.nested(11) { inner in
        inner.text(1, pair.key)
        inner.text(2, pair.value)
      }
    }
    if let rawData { writer.data(12, rawData) }
    writer.text(13, ifPresent: receiptFor)
  }

  init(payload: inout PayloadReader) throws(PayloadError) {
    var id: String?, scope: String?, origin: String?, category: String?
    var collapseKey: String?, sender: String?, receiptFor: String?
    var priority: PushPriority?, acceptedAt: Timestamp?, timeToLive: Int?
    var waitsWhileIdle = false
    var pairs: [MailPair] = []
    var rawData: [UInt8]?
    while let field = try payload.next() {
      switch field {
      case 1: id = try payload.text()
      case 2: scope = try payload.text()
      case 3: origin = try payload.text()
      case 4: category = try payload.text()
      case 5: collapseKey = try payload.text()
      case 6: sender = try payload.text()
      case 7:
        guard let raw = UInt8(exactly: try payload.unsigned()), let known = PushPriority(rawValue: raw) else {
          throw .outOfRange(field: 7)
        }
        priority = known
      case 8: waitsWhileIdle = try payload.bool()
      case 9: acceptedAt = try payload.time()
      case 10:
        let seconds = try payload.integer()
        guard (0...Self.timeToLiveMaximum).contains(seconds) else { throw .outOfRange(field: 10) }
        timeToLive = seconds
      case 11:
        var inner = try payload.nested()
        pairs.append(try MailPair(payload: &inner))
      case 12: rawData = try payload.data()
      case 13: receiptFor = try payload.text()
      default: try payload.skip()
      }
    }
    guard let id else { throw .missingField(1) }
    guard let scope else { throw .missingField(2) }
    guard let origin else { throw .missingField(3) }
    guard let category else { throw .missingField(4) }
    guard let priority else { throw .missingField(7) }
    guard let acceptedAt else { throw .missingField(9) }
    guard let timeToLive else { throw .missingField(10) }
    self.init(
      id: id, scope: scope, origin: origin, category: category, collapseKey: collapseKey, sender: sender ?? origin,
      priority: priority, waitsWhileIdle: waitsWhileIdle, acceptedAt: acceptedAt, timeToLive: timeToLive, pairs: pairs,
      rawData: rawData, receiptFor: receiptFor)
  }
}

extension MailPair {
  fileprivate init(payload: inout PayloadReader) throws(PayloadError) {
    var key: String?, value: String?
    while let field = try payload.next() {
      switch field {
      case 1: key = try payload.text()
      case 2: value = try payload.text()
      default: try payload.skip()
      }
    }
    guard let key else { throw .missingField(1) }
    guard let value else { throw .missingField(2) }
    self.init(key, value)
  }
}

extension EndedMail {
  func encode(into writer: inout PayloadWriter) {
    writer.text(1, id)
    writer.text(2, scope)
    writer.text(3, sender)
    writer.text(4, category)
    writer.text(5, ifPresent: receiptFor)
    writer.time(6, acceptedAt)
  }

  init(payload: inout PayloadReader) throws(PayloadError) {
    var id: String?, scope: String?, sender: String?, category: String?, receiptFor: String?
    var acceptedAt = Timestamp.epoch
    while let field = try payload.next() {
      switch field {
      case 1: id = try payload.text()
      case 2: scope = try payload.text()
      case 3: sender = try payload.text()
      case 4: category = try payload.text()
      case 5: receiptFor = try payload.text()
      case 6: acceptedAt = try payload.time()
      default: try payload.skip()
      }
    }
    guard let id else { throw .missingField(1) }
    guard let scope else { throw .missingField(2) }
    guard let sender else { throw .missingField(3) }
    guard let category else { throw .missingField(4) }
    self.init(
      id: id, scope: scope, sender: sender, category: category, receiptFor: receiptFor, acceptedAt: acceptedAt)
  }
}

extension MailNotice {
  func encode(into writer: inout PayloadWriter) {
    writer.nested(1) { last.encode(into: &$0) }
    writer.integer(2, count)
    if isOpen { writer.bool(3, true) }
  }

  init(payload: inout PayloadReader) throws(PayloadError) {
    var last: Mail?, count: Int?
    var isOpen = false
    while let field = try payload.next() {
      switch field {
      case 1:
        var inner = try payload.nested()
        last = try Mail(payload: &inner)
      case 2: count = try payload.count(field)
      case 3: isOpen = try payload.bool()
      default: try payload.skip()
      }
    }
    guard let last else { throw .missingField(1) }
    guard let count else { throw .missingField(2) }
    self.init(last, count: count, isOpen: isOpen)
  }
}
