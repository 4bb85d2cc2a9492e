public import EventSourcing

// The stored form of a message. Field numbers are frozen.
extension PushMessage: PayloadPart {
  private enum Field {
    static let producer = PayloadField<String>(1)
    static let number = PayloadField<Int>(2)
    static let tag = PayloadField<String>(3)
    static let alert = PayloadField<String>(4)
    static let content = PayloadField<[UInt8]>(5)
    static let compactContent = PayloadField<[UInt8]>(6)
    static let service = PayloadField<String>(7)
    static let target = PayloadField<PushAddress>(8)
    static let attemptsMaximum = PayloadField<Int>(9)
    static let expiry = PayloadField<Timestamp>(10)
    static let collapseKey = PayloadField<String>(11)
    static let priority = PayloadField<PushPriority>(12)
    static let isNowOrNever = PayloadField<Bool>(13)
    static let display = PayloadField<PushDisplay>(14)
    static let form = PayloadField<PushContentForm>(15)
    static let owner = PayloadField<String>(16)
    static let registeredAt = PayloadField<Timestamp>(17)
    /// Absent: its producer counts.
    static let submissionID = PayloadField<String>(18)
  }

  public func encode(into writer: inout PayloadWriter) {
    writer.put(Field.producer, producer)
    writer.put(Field.number, number)
    writer.put(Field.tag, tag)
    writer.put(Field.alert, alert)
    writer.put(Field.content, content)
    writer.put(Field.compactContent, ifPresent: compactContent)
    writer.put(Field.service, service)
    writer.put(Field.target, target)
    writer.put(Field.attemptsMaximum, attemptsMaximum)
    writer.put(Field.expiry, ifPresent: expiry)
    writer.put(Field.collapseKey, ifPresent: collapseKey)
    writer.put(Field.priority, priority)
    writer.put(Field.isNowOrNever, ifTrue: isNowOrNever)
    writer.put(Field.display, ifPresent: display)
    writer.put(Field.form, form, unless: .message)
    writer.put(Field.owner, ifPresent: owner)
    writer.put(Field.registeredAt, ifPresent: registeredAt)
    writer.put(Field.submissionID, ifPresent: submissionID)
  }

  public init(payload: inout PayloadReader) throws(PayloadError) {
    let read = try PayloadFields(&payload)
    self.init(
      producer: try read.required(Field.producer), number: try read.required(Field.number),
      tag: try read.required(Field.tag), alert: try read.required(Field.alert),
      content: try read.required(Field.content), compactContent: try read[Field.compactContent],
      service: try read.required(Field.service), target: try read.required(Field.target),
      attemptsMaximum: try read.required(Field.attemptsMaximum), expiry: try read[Field.expiry],
      collapseKey: try read[Field.collapseKey], priority: try read.required(Field.priority),
      isNowOrNever: try read[Field.isNowOrNever] ?? false, display: try read[Field.display],
      form: try read[Field.form] ?? .message, owner: try read[Field.owner],
      registeredAt: try read[Field.registeredAt], submissionID: try read[Field.submissionID])
  }
}

/// With what goes out as `Authorization`.
extension PushAddress: PayloadAddress {
  public var supplement: String? { authorization }

  public init(
    type: String, deviceID: String, provider: String?, language: String?, debug: Bool, supplement: String?
  ) {
    self.init(
      type: type, deviceID: deviceID, provider: provider, language: language, debug: debug, authorization: supplement)
  }
}
