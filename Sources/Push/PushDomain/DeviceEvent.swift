public import EventSourcing

/// The fields of device events, beside those of the registration or the address that an event is.
private enum Field {
  static let reason = PayloadField<String>(1)
  static let state = PayloadField<[UInt8]>(1)
}

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
    case .ended(let reason): writer.put(Field.reason, reason)
    case .erased(let state): writer.put(Field.state, state)
    case .replaced(let address): address.encode(into: &writer)
    case .renewed: break
    }
  }

  public init(tag: EventTag, payload: inout PayloadReader) throws(PayloadError) {
    switch tag {
    case 1: self = .registered(try DeviceRegistration(payload: &payload))
    case 2: self = .moved(try DeviceRegistration(payload: &payload))
    case 3: self = .ended(reason: try PayloadFields(&payload).required(Field.reason))
    case 4:
      let state = try PayloadFields(&payload).required(Field.state)
      // `evolve` asks no questions, so the answer is found here.
      _ = try Device(stateBytes: state)
      self = .erased(state: state)
    case 5: self = .replaced(by: try PushAddress(payload: &payload))
    case 6: self = .renewed
    default: throw .unknownTag(tag)
    }
  }
}

extension DeviceRegistration: PayloadPart {
  private enum Field {
    static let address = PayloadField<PushAddress>(1)
    static let platform = PayloadField<String>(2)
    static let app = PayloadField<String>(3)
    static let owner = PayloadField<String>(4)
  }

  public func encode(into writer: inout PayloadWriter) {
    writer.put(Field.address, address)
    writer.put(Field.platform, ifPresent: platform)
    writer.put(Field.app, ifPresent: app)
    writer.put(Field.owner, ifPresent: owner)
  }

  public init(payload: inout PayloadReader) throws(PayloadError) {
    let read = try PayloadFields(&payload)
    self.init(
      address: try read.required(Field.address), platform: try read[Field.platform], app: try read[Field.app],
      owner: try read[Field.owner])
  }
}

/// The state of a device as snapshots and restatements hold it. Field numbers are frozen.
extension Device: RestorableState {
  private enum Field {
    /// Absent: none, or erased.
    static let registration = PayloadField<DeviceRegistration>(1)
    static let firstRegisteredAt = PayloadField<Timestamp>(2)
    static let registeredAt = PayloadField<Timestamp>(3)
    /// Absent: it lives.
    static let endReason = PayloadField<String>(4)
    static let endedAt = PayloadField<Timestamp>(5)
    static let successor = PayloadField<PushAddress>(6)
  }

  public func encodeState(into writer: inout PayloadWriter) {
    writer.put(Field.registration, ifPresent: registration)
    writer.put(Field.firstRegisteredAt, firstRegisteredAt)
    writer.put(Field.registeredAt, registeredAt)
    writer.put(Field.endReason, ifPresent: ending?.reason)
    writer.put(Field.endedAt, ifPresent: ending?.at)
    writer.put(Field.successor, ifPresent: successor)
  }

  public init(state payload: inout PayloadReader) throws(PayloadError) {
    self.init()
    let read = try PayloadFields(&payload)
    registration = try read[Field.registration]
    firstRegisteredAt = try read[Field.firstRegisteredAt] ?? .epoch
    registeredAt = try read[Field.registeredAt] ?? .epoch
    if let reason = try read[Field.endReason] { ending = Ending(reason: reason, at: try read.required(Field.endedAt)) }
    successor = try read[Field.successor]
  }
}
