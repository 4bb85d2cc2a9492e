public import EventSourcing

/// The state of a user as snapshots and restatements hold it: identity 1 (absent: no event yet, or erased), created at
/// 2, device 3…, highest device 4, token 5…, used id 6…, erased 7 (absent: no). Field numbers are frozen.
extension SupportUser: RestorableState {
  public func encodeState(into writer: inout PayloadWriter) {
    writer.part(1, identity)
    writer.time(2, createdAt)
    writer.parts(3, devices)
    writer.integer(4, highestDevice)
    writer.parts(5, tokens)
    writer.parts(6, usedIDs)
    writer.bool(7, ifTrue: isErased)
  }

  public init(state payload: inout PayloadReader) throws(PayloadError) {
    self.init()
    while let field = try payload.next() {
      switch field {
      case 1: identity = try payload.part()
      case 2: createdAt = try payload.time()
      case 3: devices.append(try payload.part())
      case 4: highestDevice = try payload.count(field)
      case 5: tokens.append(try payload.part())
      case 6: usedIDs.append(try payload.part())
      case 7: isErased = try payload.bool()
      default: try payload.skip()
      }
    }
  }

  public var rest: Rest { .asleep(until: nil) }
}

/// Kind of key 1 (1 anonymous, 2 verified, 3 agent, 4 contact), its text 2 (of an anonymous one: the GUID), app 3
/// (anonymous ones only), name 4 (absent: none), e-mail 5 (absent: none). Field numbers are frozen.
extension SupportIdentity: PayloadPart {
  func encode(into writer: inout PayloadWriter) {
    switch key {
    case .anonymous(let app, let guid):
      writer.unsigned(1, 1)
      writer.text(2, guid)
      writer.text(3, app)
    case .verified(let text):
      writer.unsigned(1, 2)
      writer.text(2, text)
    case .agent(let name):
      writer.unsigned(1, 3)
      writer.text(2, name)
    case .contact(let text):
      writer.unsigned(1, 4)
      writer.text(2, text)
    }
    writer.text(4, ifPresent: name)
    writer.text(5, ifPresent: email)
  }

  init(payload: inout PayloadReader) throws(PayloadError) {
    var kind: UInt64?, text: String?, app: String?, name: String?, email: String?
    while let field = try payload.next() {
      switch field {
      case 1: kind = try payload.unsigned()
      case 2: text = try payload.text()
      case 3: app = try payload.text()
      case 4: name = try payload.text()
      case 5: email = try payload.text()
      default: try payload.skip()
      }
    }
    let key: Key =
      switch try kind.required(1) {
      case 1: .anonymous(app: try app.required(3), guid: try text.required(2))
      case 2: .verified(try text.required(2))
      case 3: .agent(try text.required(2))
      case 4: .contact(try text.required(2))
      default: throw .outOfRange(field: 1)
      }
    self.init(key: key, name: name, email: email)
  }
}

/// Digest 1, app 2, issued at 3, used at 4 (absent: never noted). Field numbers are frozen.
extension SupportAccessToken: PayloadPart {
  func encode(into writer: inout PayloadWriter) {
    writer.data(1, digest)
    writer.text(2, app)
    writer.time(3, issuedAt)
    if let usedAt { writer.time(4, usedAt) }
  }

  init(payload: inout PayloadReader) throws(PayloadError) {
    var digest: [UInt8]?, app: String?, issuedAt: Timestamp?, usedAt: Timestamp?
    while let field = try payload.next() {
      switch field {
      case 1: digest = try payload.data()
      case 2: app = try payload.text()
      case 3: issuedAt = try payload.time()
      case 4: usedAt = try payload.time()
      default: try payload.skip()
      }
    }
    self.init(
      digest: try digest.required(1), app: try app.required(2), issuedAt: try issuedAt.required(3), usedAt: usedAt)
  }
}

/// Id 1, until 2. Field numbers are frozen.
extension SupportUser.UsedID: PayloadPart {
  func encode(into writer: inout PayloadWriter) {
    writer.text(1, id)
    writer.time(2, until)
  }

  init(payload: inout PayloadReader) throws(PayloadError) {
    var id: String?, until: Timestamp?
    while let field = try payload.next() {
      switch field {
      case 1: id = try payload.text()
      case 2: until = try payload.time()
      default: try payload.skip()
      }
    }
    self.init(id: try id.required(1), until: try until.required(2))
  }
}

/// Id 1, identifier 2, platform 3, address 4, locale 5, app 6, created at 7, updated at 8, reason of its end 9 (absent:
/// it lives), ended at 10. Field numbers are frozen.
extension SupportDevice: PayloadPart {
  func encode(into writer: inout PayloadWriter) {
    writer.integer(1, id)
    writer.text(2, identifier)
    writer.code(3, platform)
    writer.code(4, address)
    writer.text(5, locale)
    writer.text(6, app)
    writer.time(7, createdAt)
    writer.time(8, updatedAt)
    if let ending {
      writer.code(9, ending.reason)
      writer.time(10, ending.at)
    }
  }

  init(payload: inout PayloadReader) throws(PayloadError) {
    var id: Int?, identifier: String?, platform: Platform?, address: Address?, locale: String?, app: String?
    var createdAt: Timestamp?, updatedAt: Timestamp?, reason: Reason?, endedAt: Timestamp?
    while let field = try payload.next() {
      switch field {
      case 1: id = try payload.count(field)
      case 2: identifier = try payload.text()
      case 3: platform = try payload.code(field)
      case 4: address = try payload.code(field)
      case 5: locale = try payload.text()
      case 6: app = try payload.text()
      case 7: createdAt = try payload.time()
      case 8: updatedAt = try payload.time()
      case 9: reason = try payload.code(field)
      case 10: endedAt = try payload.time()
      default: try payload.skip()
      }
    }
    self.init(
      id: try id.required(1), identifier: try identifier.required(2), platform: try platform.required(3),
      address: try address.required(4), locale: try locale.required(5), app: try app.required(6),
      createdAt: try createdAt.required(7), updatedAt: try updatedAt.required(8))
    if let reason { ending = Ending(reason: reason, at: try endedAt.required(10)) }
  }
}
