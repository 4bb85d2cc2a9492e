public import EventSourcing

/// What happened to a device. Tags and field numbers are frozen.
public enum DeviceEvent: Sendable, Equatable, Codable {
  case registered(DeviceRegistration)
  /// Registered by another owner than before.
  case moved(DeviceRegistration)
  case ended(reason: String)
  /// `state` is all that is left, as `encodeState` wrote it.
  case erased(state: [UInt8])
  /// It ended because the provider named another address for it.
  case replaced(by: PushAddress)
  /// Registered again with nothing new.
  case renewed

  public static func isRestatement(_ tag: EventTag) -> Bool { tag == 4 }
}

extension DeviceEvent: JournaledEvent {
  public var tag: EventTag {
    switch self {
    case .registered: 1
    case .moved: 2
    case .ended: 3
    case .erased: 4
    case .replaced: 5
    case .renewed: 6
    }
  }

  public func encode(into writer: inout PayloadWriter) {
    switch self {
    case .registered(let registration), .moved(let registration): registration.encode(into: &writer)
    case .ended(let reason): writer.text(1, reason)
    case .erased(let state): writer.data(1, state)
    case .replaced(let address): address.encode(into: &writer)
    case .renewed: break
    }
  }

  public init(tag: EventTag, payload: inout PayloadReader) throws(PayloadError) {
    switch tag {
    case 1: self = .registered(try DeviceRegistration(payload: &payload))
    case 2: self = .moved(try DeviceRegistration(payload: &payload))
    case 3:
      var reason: String?
      while let field = try payload.next() {
        if field == 1 { reason = try payload.text() } else { try payload.skip() }
      }
      guard let reason else { throw .missingField(1) }
      self = .ended(reason: reason)
    case 4:
      var state: [UInt8]?
      while let field = try payload.next() {
        if field == 1 { state = try payload.data() } else { try payload.skip() }
      }
      guard let state else { throw .missingField(1) }
      // `evolve` asks no questions, so the answer is found here.
      _ = try Device(stateBytes: state)
      self = .erased(state: state)
    case 5: self = .replaced(by: try PushAddress(payload: &payload))
    case 6: self = .renewed
    default: throw .unknownTag(tag)
    }
  }
}

extension DeviceRegistration {
  func encode(into writer: inout PayloadWriter) {
    writer.nested(1) { address.encode(into: &$0) }
    writer.text(2, ifPresent: platform)
    writer.text(3, ifPresent: app)
    writer.text(4, ifPresent: owner)
  }

  init(payload: inout PayloadReader) throws(PayloadError) {
    var address: PushAddress?, platform: String?, app: String?, owner: String?
    while let field = try payload.next() {
      switch field {
      case 1:
        var inner = try payload.nested()
        address = try PushAddress(payload: &inner)
      case 2: platform = try payload.text()
      case 3: app = try payload.text()
      case 4: owner = try payload.text()
      default: try payload.skip()
      }
    }
    guard let address else { throw .missingField(1) }
    self.init(address: address, platform: platform, app: app, owner: owner)
  }
}

/// The state of a device as snapshots and restatements hold it: registration 1 (absent: none, or erased), first
/// registered at 2, registered at 3, reason of its end 4 (absent: it lives), end at 5, successor 6 (absent: none). Field
/// numbers are frozen.
extension Device: RestorableState {
  public func encodeState(into writer: inout PayloadWriter) {
    if let registration { writer.nested(1) { registration.encode(into: &$0) } }
    writer.time(2, firstRegisteredAt)
    writer.time(3, registeredAt)
    if let ending {
      writer.text(4, ending.reason)
      writer.time(5, ending.at)
    }
    if let successor { writer.nested(6) { successor.encode(into: &$0) } }
  }

  public init(state payload: inout PayloadReader) throws(PayloadError) {
    self.init()
    var reason: String?, end: Timestamp?
    while let field = try payload.next() {
      switch field {
      case 1:
        var inner = try payload.nested()
        registration = try DeviceRegistration(payload: &inner)
      case 2: firstRegisteredAt = try payload.time()
      case 3: registeredAt = try payload.time()
      case 4: reason = try payload.text()
      case 5: end = try payload.time()
      case 6:
        var inner = try payload.nested()
        successor = try PushAddress(payload: &inner)
      default: try payload.skip()
      }
    }
    if let reason {
      guard let end else { throw .missingField(5) }
      ending = Ending(reason: reason, at: end)
    }
  }
}
