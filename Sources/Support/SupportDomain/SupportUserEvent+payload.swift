public import EventSourcing

/// The fields of a user's events. A number means the same in every event and is never used again for another.
private enum Field {
  static let identity = PayloadField<SupportIdentity>(1)
  static let token = PayloadField<SupportAccessToken>(2)
  static let usedID = PayloadField<SupportUser.UsedID>(3)
  static let device = PayloadField<SupportDevice>(4)
  /// Of a device.
  static let id = PayloadField<Count>(5)
  static let locale = PayloadField<String>(6)
  static let reason = PayloadField<SupportDevice.Reason>(7)
  static let state = PayloadField<[UInt8]>(8)
  /// Of a token.
  static let digest = PayloadField<[UInt8]>(9)
}

/// The events of a user as the journal holds them. Tags are frozen: never change one, never use one again.
extension SupportUserEvent: JournaledEvent {
  public var tag: EventTag {
    switch self {
    case .identified: 1
    case .identityChanged: 2
    case .tokenIssued: 3
    case .deviceRegistered: 4
    case .deviceRefreshed: 5
    case .deviceEnded: 6
    case .erased: 7
    case .tokenUsed: 8
    case .tokenEnded: 9
    }
  }

  public func encode(into writer: inout PayloadWriter) {
    switch self {
    case .identified(let identity), .identityChanged(let identity): writer.put(Field.identity, identity)
    case .tokenIssued(let token, let usedID):
      writer.put(Field.token, token)
      writer.put(Field.usedID, ifPresent: usedID)
    case .deviceRegistered(let device): writer.put(Field.device, device)
    case .deviceRefreshed(let id, let locale):
      writer.put(Field.id, id)
      writer.put(Field.locale, locale)
    case .deviceEnded(let id, let reason):
      writer.put(Field.id, id)
      writer.put(Field.reason, reason)
    case .erased(let state): writer.put(Field.state, state)
    case .tokenUsed(let digest), .tokenEnded(let digest): writer.put(Field.digest, digest)
    }
  }

  public init(tag: EventTag, payload: inout PayloadReader) throws(PayloadError) {
    let read = try PayloadFields(&payload)
    switch tag {
    case 1: self = .identified(try read.required(Field.identity))
    case 2: self = .identityChanged(try read.required(Field.identity))
    case 3: self = .tokenIssued(try read.required(Field.token), usedID: try read[Field.usedID])
    case 4: self = .deviceRegistered(try read.required(Field.device))
    case 5: self = .deviceRefreshed(id: try read.required(Field.id), locale: try read.required(Field.locale))
    case 6: self = .deviceEnded(id: try read.required(Field.id), try read.required(Field.reason))
    case 7:
      let state = try read.required(Field.state)
      // `evolve` asks no questions, so the answer is found here.
      _ = try SupportUser(stateBytes: state)
      self = .erased(state: state)
    case 8: self = .tokenUsed(digest: try read.required(Field.digest))
    case 9: self = .tokenEnded(digest: try read.required(Field.digest))
    default: throw .unknownTag(tag)
    }
  }
}
