public import EventSourcing

/// The fields of a device's events, beside those of the identity or the registration that an event is.
private enum Field {
  static let number = PayloadField<Count>(1)
  static let reason = PayloadField<String>(2)
  static let keys = PayloadField<BrowserKeys>(2)
  static let state = PayloadField<[UInt8]>(1)
}

/// What happened to a device that had checked in. Tags and field numbers are frozen.
public enum InstallationEvent: Sendable, Equatable, Codable {
  case checkedIn(InstallationIdentity)
  /// New, or with something new about it.
  case registered(AppRegistration)
  case registrationEnded(Int, reason: String)
  case keysSet(Int, BrowserKeys)
  case topicJoined(Int, SenderTopic)
  case topicLeft(Int, SenderTopic)
  /// `state` is all that is left, as `encodeState` wrote it.
  case erased(state: [UInt8])

  public static func isRestatement(_ tag: EventTag) -> Bool { tag == 7 }
}

extension InstallationEvent: JournaledEvent {
  public var tag: EventTag {
    switch self {
    case .checkedIn: 1
    case .registered: 2
    case .registrationEnded: 3
    case .keysSet: 4
    case .topicJoined: 5
    case .topicLeft: 6
    case .erased: 7
    }
  }

  public func encode(into writer: inout PayloadWriter) {
    switch self {
    case .checkedIn(let identity): identity.encode(into: &writer)
    case .registered(let registration): registration.encode(into: &writer)
    case .registrationEnded(let number, let reason):
      writer.put(Field.number, number)
      writer.put(Field.reason, reason)
    case .keysSet(let number, let keys):
      writer.put(Field.number, number)
      writer.put(Field.keys, keys)
    case .topicJoined(let number, let topic), .topicLeft(let number, let topic):
      writer.put(Field.number, number)
      topic.encode(into: &writer)
    case .erased(let state): writer.put(Field.state, state)
    }
  }

  public init(tag: EventTag, payload: inout PayloadReader) throws(PayloadError) {
    switch tag {
    case 1: self = .checkedIn(try InstallationIdentity(payload: &payload))
    case 2: self = .registered(try AppRegistration(payload: &payload))
    default: try self.init(tag, try PayloadFields(&payload))
    }
  }

  private init(_ tag: EventTag, _ read: PayloadFields) throws(PayloadError) {
    switch tag {
    case 3:
      self = .registrationEnded(try read.required(Field.number), reason: try read.required(Field.reason))
    case 4: self = .keysSet(try read.required(Field.number), try read.required(Field.keys))
    case 5: self = .topicJoined(try read.required(Field.number), try SenderTopic(read))
    case 6: self = .topicLeft(try read.required(Field.number), try SenderTopic(read))
    case 7:
      let state = try read.required(Field.state)
      // `evolve` asks no questions, so the answer is found here.
      _ = try Installation(stateBytes: state)
      self = .erased(state: state)
    default: throw .unknownTag(tag)
    }
  }
}

extension InstallationIdentity: PayloadPart {
  private enum Field {
    static let securityDigest = PayloadField<[UInt8]>(1)
    static let seed = PayloadField<[UInt8]>(2)
  }

  public func encode(into writer: inout PayloadWriter) {
    writer.put(Field.securityDigest, securityDigest)
    writer.put(Field.seed, seed)
  }

  public init(payload: inout PayloadReader) throws(PayloadError) {
    let read = try PayloadFields(&payload)
    self.init(
      securityDigest: try read.required(Field.securityDigest), seed: try read.required(Field.seed))
  }
}

extension BrowserKeys: PayloadPart {
  private enum Field {
    static let publicKey = PayloadField<[UInt8]>(1)
    static let authenticationSecret = PayloadField<[UInt8]>(2)
    static let authorizedEntity = PayloadField<String>(3)
  }

  public func encode(into writer: inout PayloadWriter) {
    writer.put(Field.publicKey, publicKey)
    writer.put(Field.authenticationSecret, authenticationSecret)
    writer.put(Field.authorizedEntity, ifPresent: authorizedEntity)
  }

  public init(payload: inout PayloadReader) throws(PayloadError) {
    let read = try PayloadFields(&payload)
    self.init(
      publicKey: try read.required(Field.publicKey),
      authenticationSecret: try read.required(Field.authenticationSecret),
      authorizedEntity: try read[Field.authorizedEntity])
  }
}

/// It stands beside the number of a registration, or the time of a membership.
extension SenderTopic {
  private enum Field {
    static let sender = PayloadField<String>(2)
    static let name = PayloadField<String>(3)
  }

  fileprivate func encode(into writer: inout PayloadWriter) {
    writer.put(Field.sender, sender)
    writer.put(Field.name, name)
  }

  fileprivate init(_ read: PayloadFields) throws(PayloadError) {
    self.init(sender: try read.required(Field.sender), name: try read.required(Field.name))
  }
}

extension AppRegistration: PayloadPart {
  private enum Field {
    static let number = PayloadField<Count>(1)
    static let app = PayloadField<String>(2)
    static let senders = PayloadField<String>(3)
    static let subtype = PayloadField<String>(4)
    static let instanceID = PayloadField<String>(5)
    static let scope = PayloadField<String>(6)
    static let platform = PayloadField<String>(7)
    static let appVersion = PayloadField<String>(8)
    static let certificate = PayloadField<String>(9)
    static let relay = PayloadField<PushAddress>(10)
    static let keys = PayloadField<BrowserKeys>(11)
    static let topics = PayloadField<TopicMembership>(12)
  }

  public func encode(into writer: inout PayloadWriter) {
    writer.put(Field.number, number)
    writer.put(Field.app, app)
    writer.put(each: Field.senders, senders)
    writer.put(Field.subtype, ifPresent: subtype)
    writer.put(Field.instanceID, ifPresent: instanceID)
    writer.put(Field.scope, ifPresent: scope)
    writer.put(Field.platform, platform)
    writer.put(Field.appVersion, ifPresent: appVersion)
    writer.put(Field.certificate, ifPresent: certificate)
    writer.put(Field.relay, ifPresent: relay)
    writer.put(Field.keys, ifPresent: keys)
    writer.put(each: Field.topics, topics)
  }

  public init(payload: inout PayloadReader) throws(PayloadError) {
    let read = try PayloadFields(&payload)
    self.init(
      number: try read.required(Field.number), app: try read.required(Field.app), senders: try read.all(Field.senders),
      subtype: try read[Field.subtype], instanceID: try read[Field.instanceID], scope: try read[Field.scope],
      platform: try read.required(Field.platform), appVersion: try read[Field.appVersion],
      certificate: try read[Field.certificate], relay: try read[Field.relay])
    keys = try read[Field.keys]
    topics = try read.all(Field.topics)
  }
}

extension TopicMembership: PayloadPart {
  private enum Field {
    static let since = PayloadField<Timestamp>(1)
  }

  public func encode(into writer: inout PayloadWriter) {
    writer.put(Field.since, since)
    topic.encode(into: &writer)
  }

  public init(payload: inout PayloadReader) throws(PayloadError) {
    let read = try PayloadFields(&payload)
    let since = try read.required(Field.since)
    self.init(topic: try SenderTopic(read), since: since)
  }
}

/// The state of a device as snapshots and restatements hold it. Field numbers are frozen.
extension Installation: RestorableState {
  private enum Field {
    /// Absent: none, or erased.
    static let identity = PayloadField<InstallationIdentity>(1)
    static let registrations = PayloadField<AppRegistration>(2)
    static let highestNumber = PayloadField<Count>(3)
  }

  public func encodeState(into writer: inout PayloadWriter) {
    writer.put(Field.identity, ifPresent: identity)
    writer.put(each: Field.registrations, registrations)
    writer.put(Field.highestNumber, highestNumber)
  }

  public init(state payload: inout PayloadReader) throws(PayloadError) {
    self.init()
    let read = try PayloadFields(&payload)
    identity = try read[Field.identity]
    registrations = try read.all(Field.registrations)
    highestNumber = try read[Field.highestNumber] ?? 0
  }
}
