public import EventSourcing

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
      writer.integer(1, number)
      writer.text(2, reason)
    case .keysSet(let number, let keys):
      writer.integer(1, number)
      writer.nested(2) { keys.encode(into: &$0) }
    case .topicJoined(let number, let topic), .topicLeft(let number, let topic):
      writer.integer(1, number)
      topic.encode(into: &writer)
    case .erased(let state): writer.data(1, state)
    }
  }

  public init(tag: EventTag, payload: inout PayloadReader) throws(PayloadError) {
    switch tag {
    case 1: self = .checkedIn(try InstallationIdentity(payload: &payload))
    case 2: self = .registered(try AppRegistration(payload: &payload))
    case 3...6: self = try Self.change(tag: tag, payload: &payload)
    case 7:
      var state: [UInt8]?
      while let field = try payload.next() {
        if field == 1 { state = try payload.data() } else { try payload.skip() }
      }
      guard let state else { throw .missingField(1) }
      // `evolve` asks no questions, so the answer is found here.
      _ = try Installation(stateBytes: state)
      self = .erased(state: state)
    default: throw .unknownTag(tag)
    }
  }

  private static func change(tag: EventTag, payload: inout PayloadReader) throws(PayloadError) -> InstallationEvent {
    var number: Int?, text: String?, keys: BrowserKeys?, name: String?
    while let field = try payload.next() {
      switch (field, tag) {
      case (1, _): number = try payload.count(field)
      case (2, 4):
        var inner = try payload.nested()
        keys = try BrowserKeys(payload: &inner)
      case (2, _): text = try payload.text()
      case (3, 5...6): name = try payload.text()
      default: try payload.skip()
      }
    }
    guard let number else { throw .missingField(1) }
    if tag == 4 {
      guard let keys else { throw .missingField(2) }
      return .keysSet(number, keys)
    }
    guard let text else { throw .missingField(2) }
    if tag == 3 { return .registrationEnded(number, reason: text) }
    guard let name else { throw .missingField(3) }
    let topic = SenderTopic(sender: text, name: name)
    return tag == 5 ? .topicJoined(number, topic) : .topicLeft(number, topic)
  }
}

extension InstallationIdentity {
  fileprivate func encode(into writer: inout PayloadWriter) {
    writer.data(1, securityDigest)
    writer.data(2, seed)
  }

  fileprivate init(payload: inout PayloadReader) throws(PayloadError) {
    var digest: [UInt8]?, seed: [UInt8]?
    while let field = try payload.next() {
      switch field {
      case 1: digest = try payload.data()
      case 2: seed = try payload.data()
      default: try payload.skip()
      }
    }
    guard let digest else { throw .missingField(1) }
    guard let seed else { throw .missingField(2) }
    self.init(securityDigest: digest, seed: seed)
  }
}

extension BrowserKeys {
  fileprivate func encode(into writer: inout PayloadWriter) {
    writer.data(1, publicKey)
    writer.data(2, authenticationSecret)
    writer.text(3, ifPresent: authorizedEntity)
  }

  fileprivate init(payload: inout PayloadReader) throws(PayloadError) {
    var key: [UInt8]?, secret: [UInt8]?, entity: String?
    while let field = try payload.next() {
      switch field {
      case 1: key = try payload.data()
      case 2: secret = try payload.data()
      case 3: entity = try payload.text()
      default: try payload.skip()
      }
    }
    guard let key else { throw .missingField(1) }
    guard let secret else { throw .missingField(2) }
    self.init(publicKey: key, authenticationSecret: secret, authorizedEntity: entity)
  }
}

extension SenderTopic {
  /// Fields 2 and 3: it stands beside the number of a registration, or the time of a membership.
  fileprivate func encode(into writer: inout PayloadWriter) {
    writer.text(2, sender)
    writer.text(3, name)
  }
}

extension AppRegistration {
  fileprivate func encode(into writer: inout PayloadWriter) {
    writer.integer(1, number)
    writer.text(2, app)
    for sender in senders { writer.text(3, sender) }
    writer.text(4, ifPresent: subtype)
    writer.text(5, ifPresent: instanceID)
    writer.text(6, ifPresent: scope)
    writer.text(7, platform)
    writer.text(8, ifPresent: appVersion)
    writer.text(9, ifPresent: certificate)
    if let relay { writer.nested(10) { relay.encode(into: &$0) } }
    if let keys { writer.nested(11) { keys.encode(into: &$0) } }
    for membership in topics {
      writer.nested(12) { inner in
        inner.time(1, membership.since)
        membership.topic.encode(into: &inner)
      }
    }
  }

  fileprivate init(payload: inout PayloadReader) throws(PayloadError) {
    var number: Int?, app: String?, platform: String?
    var subtype: String?, instanceID: String?, scope: String?, appVersion: String?, certificate: String?
    var senders: [String] = []
    var relay: PushAddress?, keys: BrowserKeys?
    var topics: [TopicMembership] = []
    while let field = try payload.next() {
      switch field {
      case 1: number = try payload.count(field)
      case 2: app = try payload.text()
      case 3: senders.append(try payload.text())
      case 4: subtype = try payload.text()
      case 5: instanceID = try payload.text()
      case 6: scope = try payload.text()
      case 7: platform = try payload.text()
      case 8: appVersion = try payload.text()
      case 9: certificate = try payload.text()
      case 10:
        var inner = try payload.nested()
        relay = try PushAddress(payload: &inner)
      case 11:
        var inner = try payload.nested()
        keys = try BrowserKeys(payload: &inner)
      case 12:
        var inner = try payload.nested()
        topics.append(try TopicMembership(payload: &inner))
      default: try payload.skip()
      }
    }
    guard let number else { throw .missingField(1) }
    guard let app else { throw .missingField(2) }
    guard let platform else { throw .missingField(7) }
    self.init(
      number: number, app: app, senders: senders, subtype: subtype, instanceID: instanceID, scope: scope,
      platform: platform, appVersion: appVersion, certificate: certificate, relay: relay)
    self.keys = keys
    self.topics = topics
  }
}

extension TopicMembership {
  fileprivate init(payload: inout PayloadReader) throws(PayloadError) {
    var since: Timestamp?, sender: String?, name: String?
    while let field = try payload.next() {
      switch field {
      case 1: since = try payload.time()
      case 2: sender = try payload.text()
      case 3: name = try payload.text()
      default: try payload.skip()
      }
    }
    guard let since else { throw .missingField(1) }
    guard let sender else { throw .missingField(2) }
    guard let name else { throw .missingField(3) }
    self.init(topic: SenderTopic(sender: sender, name: name), since: since)
  }
}

/// The state of a device as snapshots and restatements hold it: identity 1 (absent: none, or erased), registration 2…,
/// highest number 3. Field numbers are frozen.
extension Installation: RestorableState {
  public func encodeState(into writer: inout PayloadWriter) {
    if let identity { writer.nested(1) { identity.encode(into: &$0) } }
    for registration in registrations { writer.nested(2) { registration.encode(into: &$0) } }
    writer.integer(3, highestNumber)
  }

  public init(state payload: inout PayloadReader) throws(PayloadError) {
    self.init()
    while let field = try payload.next() {
      switch field {
      case 1:
        var inner = try payload.nested()
        identity = try InstallationIdentity(payload: &inner)
      case 2:
        var inner = try payload.nested()
        registrations.append(try AppRegistration(payload: &inner))
      case 3: highestNumber = try payload.count(field)
      default: try payload.skip()
      }
    }
  }
}
