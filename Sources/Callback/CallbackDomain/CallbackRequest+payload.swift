public import EventSourcing

// The fields of a callback's request and of its pushes, messages inside events and states. Frozen like those.
extension CallbackRequest: PayloadPart {
  private enum Field {
    static let serviceName = PayloadField<String>(1)
    static let direction = PayloadField<CallDirection>(2)
    static let media = PayloadField<CallbackMedia>(3)
    static let waitsForAgent = PayloadField<Bool>(4)
    static let confirms = PayloadField<Bool>(5)
    static let providesCode = PayloadField<Bool>(6)
    static let field = PayloadField<NameValuePair>(7)
    static let userKey = PayloadField<String>(8)
    static let device = PayloadField<CallbackDevice>(9)
    static let desiredTime = PayloadField<Timestamp>(10)
    static let slot = PayloadField<Timestamp>(11)
    static let accessCode = PayloadField<String>(12)
    static let accessNumber = PayloadField<String>(13)
    static let priority = PayloadField<Int>(14)
    static let language = PayloadField<String>(15)
    static let isUserKeyMade = PayloadField<Bool>(16)
    static let issuedKey = PayloadField<String>(17)
  }

  public func encode(into writer: inout PayloadWriter) {
    writer.put(Field.serviceName, serviceName)
    writer.put(Field.direction, terms.direction)
    writer.put(Field.media, terms.media)
    writer.put(Field.waitsForAgent, ifTrue: terms.waitsForAgent)
    writer.put(Field.confirms, ifTrue: terms.confirms)
    writer.put(Field.providesCode, ifTrue: terms.providesCode)
    writer.put(each: Field.field, fields)
    writer.put(Field.userKey, ifNotEmpty: userKey)
    writer.put(Field.device, ifPresent: device)
    writer.put(Field.desiredTime, ifPresent: desiredTime)
    writer.put(Field.slot, ifPresent: slot)
    writer.put(Field.accessCode, ifPresent: accessCode)
    writer.put(Field.accessNumber, ifPresent: accessNumber)
    writer.put(Field.priority, priority, unless: 0)
    writer.put(Field.language, ifPresent: language)
    writer.put(Field.isUserKeyMade, ifTrue: isUserKeyMade)
    writer.put(Field.issuedKey, ifPresent: issuedKey)
  }

  public init(payload: inout PayloadReader) throws(PayloadError) {
    let read = try PayloadFields(&payload)
    self.init(serviceName: "", userKey: try read[Field.userKey] ?? "")
    terms.waitsForAgent = try read[Field.waitsForAgent] ?? false
    terms.confirms = try read[Field.confirms] ?? false
    terms.providesCode = try read[Field.providesCode] ?? false
    fields = try read.all(Field.field)
    device = try read[Field.device]
    desiredTime = try read[Field.desiredTime]
    slot = try read[Field.slot]
    accessCode = try read[Field.accessCode]
    accessNumber = try read[Field.accessNumber]
    priority = try read[Field.priority] ?? 0
    language = try read[Field.language]
    isUserKeyMade = try read[Field.isUserKeyMade] ?? false
    issuedKey = try read[Field.issuedKey]
    // What is wrong is told before what is missing.
    terms.media = try read.required(Field.media)
    terms.direction = try read.required(Field.direction)
    serviceName = try read.required(Field.serviceName)
  }
}

extension CallbackDevice: PayloadAddress {
  public var supplement: String? { nil }

  public init(
    type: String, deviceID: String, provider: String?, language: String?, debug: Bool, supplement: String?
  ) {
    self.init(type: type, deviceID: deviceID, provider: provider, language: language, debug: debug)
  }
}

extension CallbackPush: PayloadPart {
  private enum Field {
    static let number = PayloadField<Count>(1)
    static let dialog = PayloadField<CallbackDialog>(2)
    static let expiry = PayloadField<Timestamp>(3)
  }

  public func encode(into writer: inout PayloadWriter) {
    writer.put(Field.number, number)
    writer.put(Field.dialog, dialog)
    writer.put(Field.expiry, ifPresent: expiry)
  }

  public init(payload: inout PayloadReader) throws(PayloadError) {
    let read = try PayloadFields(&payload)
    let dialog = try read.required(Field.dialog)
    self.init(number: try read.required(Field.number), dialog: dialog, expiry: try read[Field.expiry])
  }
}
