public import EventSourcing

/// The state of a user as snapshots and restatements hold it. Field numbers are frozen.
extension SupportUser: RestorableState {
  private enum Field {
    /// Absent: no event yet, or erased.
    static let identity = PayloadField<SupportIdentity>(1)
    static let createdAt = PayloadField<Timestamp>(2)
    static let devices = PayloadField<SupportDevice>(3)
    static let highestDevice = PayloadField<Count>(4)
    static let tokens = PayloadField<SupportAccessToken>(5)
    static let usedIDs = PayloadField<UsedID>(6)
    static let isErased = PayloadField<Bool>(7)
  }

  public func encodeState(into writer: inout PayloadWriter) {
    writer.put(Field.identity, ifPresent: identity)
    writer.put(Field.createdAt, createdAt)
    writer.put(each: Field.devices, devices)
    writer.put(Field.highestDevice, highestDevice)
    writer.put(each: Field.tokens, tokens)
    writer.put(each: Field.usedIDs, usedIDs)
    writer.put(Field.isErased, ifTrue: isErased)
  }

  public init(state payload: inout PayloadReader) throws(PayloadError) {
    self.init()
    let read = try PayloadFields(&payload)
    identity = try read[Field.identity]
    createdAt = try read[Field.createdAt] ?? .epoch
    devices = try read.all(Field.devices)
    highestDevice = try read[Field.highestDevice] ?? 0
    tokens = try read.all(Field.tokens)
    usedIDs = try read.all(Field.usedIDs)
    isErased = try read[Field.isErased] ?? false
  }

  public var rest: Rest { .asleep(until: nil) }
}

// The parts of a user as events and states hold them. Field numbers are frozen.

extension SupportIdentity: PayloadPart {
  private enum Field {
    /// 1 anonymous, 2 verified, 3 agent, 4 contact.
    static let kind = PayloadField<UInt64>(1)
    /// Of an anonymous one: the GUID.
    static let text = PayloadField<String>(2)
    /// Of anonymous ones only.
    static let app = PayloadField<String>(3)
    static let name = PayloadField<String>(4)
    static let email = PayloadField<String>(5)
  }

  public func encode(into writer: inout PayloadWriter) {
    switch key {
    case .anonymous(let app, let guid):
      writer.put(Field.kind, 1)
      writer.put(Field.text, guid)
      writer.put(Field.app, app)
    case .verified(let text):
      writer.put(Field.kind, 2)
      writer.put(Field.text, text)
    case .agent(let name):
      writer.put(Field.kind, 3)
      writer.put(Field.text, name)
    case .contact(let text):
      writer.put(Field.kind, 4)
      writer.put(Field.text, text)
    }
    writer.put(Field.name, ifPresent: name)
    writer.put(Field.email, ifPresent: email)
  }

  public init(payload: inout PayloadReader) throws(PayloadError) {
    let read = try PayloadFields(&payload)
    let key: Key =
      switch try read.required(Field.kind) {
      case 1: .anonymous(app: try read.required(Field.app), guid: try read.required(Field.text))
      case 2: .verified(try read.required(Field.text))
      case 3: .agent(try read.required(Field.text))
      case 4: .contact(try read.required(Field.text))
      default: throw .outOfRange(field: Field.kind.number)
      }
    self.init(key: key, name: try read[Field.name], email: try read[Field.email])
  }
}

extension SupportAccessToken: PayloadPart {
  private enum Field {
    static let digest = PayloadField<[UInt8]>(1)
    static let app = PayloadField<String>(2)
    static let issuedAt = PayloadField<Timestamp>(3)
    /// Absent: never noted.
    static let usedAt = PayloadField<Timestamp>(4)
  }

  public func encode(into writer: inout PayloadWriter) {
    writer.put(Field.digest, digest)
    writer.put(Field.app, app)
    writer.put(Field.issuedAt, issuedAt)
    writer.put(Field.usedAt, ifPresent: usedAt)
  }

  public init(payload: inout PayloadReader) throws(PayloadError) {
    let read = try PayloadFields(&payload)
    self.init(
      digest: try read.required(Field.digest), app: try read.required(Field.app),
      issuedAt: try read.required(Field.issuedAt), usedAt: try read[Field.usedAt])
  }
}

extension SupportUser.UsedID: PayloadPart {
  private enum Field {
    static let id = PayloadField<String>(1)
    static let until = PayloadField<Timestamp>(2)
  }

  public func encode(into writer: inout PayloadWriter) {
    writer.put(Field.id, id)
    writer.put(Field.until, until)
  }

  public init(payload: inout PayloadReader) throws(PayloadError) {
    let read = try PayloadFields(&payload)
    self.init(
      id: try read.required(Field.id), until: try read.required(Field.until))
  }
}

extension SupportDevice: PayloadPart {
  private enum Field {
    static let id = PayloadField<Count>(1)
    static let identifier = PayloadField<String>(2)
    static let platform = PayloadField<Platform>(3)
    static let address = PayloadField<Address>(4)
    static let locale = PayloadField<String>(5)
    static let app = PayloadField<String>(6)
    static let createdAt = PayloadField<Timestamp>(7)
    static let updatedAt = PayloadField<Timestamp>(8)
    /// Absent: it lives.
    static let endReason = PayloadField<Reason>(9)
    static let endedAt = PayloadField<Timestamp>(10)
  }

  public func encode(into writer: inout PayloadWriter) {
    writer.put(Field.id, id)
    writer.put(Field.identifier, identifier)
    writer.put(Field.platform, platform)
    writer.put(Field.address, address)
    writer.put(Field.locale, locale)
    writer.put(Field.app, app)
    writer.put(Field.createdAt, createdAt)
    writer.put(Field.updatedAt, updatedAt)
    writer.put(Field.endReason, ifPresent: ending?.reason)
    writer.put(Field.endedAt, ifPresent: ending?.at)
  }

  public init(payload: inout PayloadReader) throws(PayloadError) {
    let read = try PayloadFields(&payload)
    self.init(
      id: try read.required(Field.id), identifier: try read.required(Field.identifier),
      platform: try read.required(Field.platform), address: try read.required(Field.address),
      locale: try read.required(Field.locale), app: try read.required(Field.app),
      createdAt: try read.required(Field.createdAt), updatedAt: try read.required(Field.updatedAt))
    if let reason = try read[Field.endReason] { ending = Ending(reason: reason, at: try read.required(Field.endedAt)) }
  }
}
