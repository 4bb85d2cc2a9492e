public import EventSourcing

// The stored form of a message in a mailbox. Field numbers are frozen.
extension Mail: PayloadPart {
  private enum Field {
    static let id = PayloadField<String>(1)
    static let scope = PayloadField<String>(2)
    static let origin = PayloadField<String>(3)
    static let category = PayloadField<String>(4)
    static let collapseKey = PayloadField<String>(5)
    /// Absent: the origin.
    static let sender = PayloadField<String>(6)
    static let priority = PayloadField<PushPriority>(7)
    static let waitsWhileIdle = PayloadField<Bool>(8)
    static let acceptedAt = PayloadField<Timestamp>(9)
    static let timeToLive = PayloadField<MailTimeToLive>(10)
    static let pairs = PayloadField<MailPair>(11)
    static let rawData = PayloadField<[UInt8]>(12)
    static let receiptFor = PayloadField<String>(13)
  }

  public func encode(into writer: inout PayloadWriter) {
    writer.put(Field.id, id)
    writer.put(Field.scope, scope)
    writer.put(Field.origin, origin)
    writer.put(Field.category, category)
    writer.put(Field.collapseKey, ifPresent: collapseKey)
    writer.put(Field.sender, sender, unless: origin)
    writer.put(Field.priority, priority)
    writer.put(Field.waitsWhileIdle, ifTrue: waitsWhileIdle)
    writer.put(Field.acceptedAt, acceptedAt)
    writer.put(Field.timeToLive, timeToLive)
    writer.put(each: Field.pairs, pairs)
    writer.put(Field.rawData, ifPresent: rawData)
    writer.put(Field.receiptFor, ifPresent: receiptFor)
  }

  public init(payload: inout PayloadReader) throws(PayloadError) {
    let read = try PayloadFields(&payload)
    let origin = try read.required(Field.origin)
    self.init(
      id: try read.required(Field.id), scope: try read.required(Field.scope), origin: origin,
      category: try read.required(Field.category), collapseKey: try read[Field.collapseKey],
      sender: try read[Field.sender] ?? origin, priority: try read.required(Field.priority),
      waitsWhileIdle: try read[Field.waitsWhileIdle] ?? false, acceptedAt: try read.required(Field.acceptedAt),
      timeToLive: try read.required(Field.timeToLive), pairs: try read.all(Field.pairs),
      rawData: try read[Field.rawData], receiptFor: try read[Field.receiptFor])
  }
}

/// Seconds; at most a year, which is more than any protocol allows.
private enum MailTimeToLive: IntegerKind {
  /// - Throws: `outOfRange`.
  static func read(_ reader: inout PayloadReader, _ field: Int) throws(PayloadError) -> Int {
    let seconds = try reader.integer()
    guard (0...31_536_000).contains(seconds) else { throw .outOfRange(field: field) }
    return seconds
  }
}

extension MailPair: PayloadPart {
  private enum Field {
    static let key = PayloadField<String>(1)
    static let value = PayloadField<String>(2)
  }

  public func encode(into writer: inout PayloadWriter) {
    writer.put(Field.key, key)
    writer.put(Field.value, value)
  }

  public init(payload: inout PayloadReader) throws(PayloadError) {
    let read = try PayloadFields(&payload)
    self.init(
      try read.required(Field.key), try read.required(Field.value))
  }
}

extension EndedMail: PayloadPart {
  private enum Field {
    static let id = PayloadField<String>(1)
    static let scope = PayloadField<String>(2)
    static let sender = PayloadField<String>(3)
    static let category = PayloadField<String>(4)
    static let receiptFor = PayloadField<String>(5)
    static let acceptedAt = PayloadField<Timestamp>(6)
  }

  public func encode(into writer: inout PayloadWriter) {
    writer.put(Field.id, id)
    writer.put(Field.scope, scope)
    writer.put(Field.sender, sender)
    writer.put(Field.category, category)
    writer.put(Field.receiptFor, ifPresent: receiptFor)
    writer.put(Field.acceptedAt, acceptedAt)
  }

  public init(payload: inout PayloadReader) throws(PayloadError) {
    let read = try PayloadFields(&payload)
    self.init(
      id: try read.required(Field.id), scope: try read.required(Field.scope), sender: try read.required(Field.sender),
      category: try read.required(Field.category), receiptFor: try read[Field.receiptFor],
      acceptedAt: try read[Field.acceptedAt] ?? .epoch)
  }
}

extension MailNotice: PayloadPart {
  private enum Field {
    static let last = PayloadField<Mail>(1)
    static let count = PayloadField<Count>(2)
    static let isOpen = PayloadField<Bool>(3)
  }

  public func encode(into writer: inout PayloadWriter) {
    writer.put(Field.last, last)
    writer.put(Field.count, count)
    writer.put(Field.isOpen, ifTrue: isOpen)
  }

  public init(payload: inout PayloadReader) throws(PayloadError) {
    let read = try PayloadFields(&payload)
    self.init(
      try read.required(Field.last), count: try read.required(Field.count), isOpen: try read[Field.isOpen] ?? false)
  }
}
