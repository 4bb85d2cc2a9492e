public import EventSourcing

/// The events of a user as the journal holds them: identity 1, token 2, used id 3 (absent: none), device 4, id of a
/// device 5, locale 6, reason 7, state 8, digest of a token 9. Tags and field numbers are frozen: never change one, never use one again.
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
    case .identified(let identity), .identityChanged(let identity): writer.part(1, identity)
    case .tokenIssued(let token, let usedID):
      writer.part(2, token)
      writer.part(3, usedID)
    case .deviceRegistered(let device): writer.part(4, device)
    case .deviceRefreshed(let id, let locale):
      writer.integer(5, id)
      writer.text(6, locale)
    case .deviceEnded(let id, let reason):
      writer.integer(5, id)
      writer.code(7, reason)
    case .erased(let state): writer.data(8, state)
    case .tokenUsed(let digest), .tokenEnded(let digest): writer.data(9, digest)
    }
  }

  public init(tag: EventTag, payload: inout PayloadReader) throws(PayloadError) {
    let read = try EventFields(payload: &payload)
    switch tag {
    case 1: self = .identified(try read.identity.required(1))
    case 2: self = .identityChanged(try read.identity.required(1))
    case 3: self = .tokenIssued(try read.token.required(2), usedID: read.usedID)
    case 4: self = .deviceRegistered(try read.device.required(4))
    case 5: self = .deviceRefreshed(id: try read.id.required(5), locale: try read.locale.required(6))
    case 6: self = .deviceEnded(id: try read.id.required(5), try read.reason.required(7))
    case 7:
      let state = try read.state.required(8)
      // `evolve` asks no questions, so the answer is found here.
      _ = try SupportUser(stateBytes: state)
      self = .erased(state: state)
    case 8: self = .tokenUsed(digest: try read.digest.required(9))
    case 9: self = .tokenEnded(digest: try read.digest.required(9))
    default: throw .unknownTag(tag)
    }
  }
}

/// Whatever an event's payload holds.
private struct EventFields {
  var identity: SupportIdentity?
  var token: SupportAccessToken?
  var usedID: SupportUser.UsedID?
  var device: SupportDevice?
  var id: Int?
  var locale: String?
  var reason: SupportDevice.Reason?
  var state: [UInt8]?
  var digest: [UInt8]?

  init(payload: inout PayloadReader) throws(PayloadError) {
    while let field = try payload.next() {
      switch field {
      case 1: identity = try payload.part()
      case 2: token = try payload.part()
      case 3: usedID = try payload.part()
      case 4: device = try payload.part()
      case 5: id = try payload.count(field)
      case 6: locale = try payload.text()
      case 7: reason = try payload.code(field)
      case 8: state = try payload.data()
      case 9: digest = try payload.data()
      default: try payload.skip()
      }
    }
  }
}
