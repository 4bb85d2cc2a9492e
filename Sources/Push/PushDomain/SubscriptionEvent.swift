public import EventSourcing

/// What happened to a subscription. Tags and field numbers are frozen.
public enum SubscriptionEvent: Sendable, Equatable, Codable {
  case opened(SubscriptionTerms)
  case published(Publication)
  case handedOver(Int)
  case ended(reason: String)
  case erased

  /// Nothing is left of one that was erased: that states it whole.
  public static func isRestatement(_ tag: EventTag) -> Bool { tag == 5 }
}

extension SubscriptionEvent: JournaledEvent {
  public var tag: EventTag {
    switch self {
    case .opened: 1
    case .published: 2
    case .handedOver: 3
    case .ended: 4
    case .erased: 5
    }
  }

  public func encode(into writer: inout PayloadWriter) {
    switch self {
    case .opened(let terms): terms.encode(into: &writer)
    case .published(let publication): publication.encode(into: &writer)
    case .handedOver(let number): writer.integer(1, number)
    case .ended(let reason): writer.text(1, reason)
    case .erased: break
    }
  }

  public init(tag: EventTag, payload: inout PayloadReader) throws(PayloadError) {
    switch tag {
    case 1: self = .opened(try SubscriptionTerms(payload: &payload))
    case 2: self = .published(try Publication(payload: &payload))
    case 3:
      var number: Int?
      while let field = try payload.next() {
        if field == 1 { number = try payload.count(field) } else { try payload.skip() }
      }
      guard let number else { throw .missingField(1) }
      self = .handedOver(number)
    case 4:
      var reason: String?
      while let field = try payload.next() {
        if field == 1 { reason = try payload.text() } else { try payload.skip() }
      }
      guard let reason else { throw .missingField(1) }
      self = .ended(reason: reason)
    case 5: self = .erased
    default: throw .unknownTag(tag)
    }
  }
}

extension SubscriptionTerms {
  fileprivate func encode(into writer: inout PayloadWriter) {
    writer.text(1, subscriberID)
    writer.text(2, filter.text)
    writer.nested(3) { address.encode(into: &$0) }
    for property in properties {
      writer.nested(4) { inner in
        inner.text(1, property.name)
        inner.text(2, property.value)
      }
    }
    writer.time(5, expiresAt)
    writer.text(6, ifPresent: owner)
  }

  fileprivate init(payload: inout PayloadReader) throws(PayloadError) {
    var subscriberID: String?, filter: String?, address: PushAddress?, expiresAt: Timestamp?, owner: String?
    var properties: [Property] = []
    while let field = try payload.next() {
      switch field {
      case 1: subscriberID = try payload.text()
      case 2: filter = try payload.text()
      case 3:
        var inner = try payload.nested()
        address = try PushAddress(payload: &inner)
      case 4:
        var inner = try payload.nested()
        properties.append(try Property(payload: &inner))
      case 5: expiresAt = try payload.time()
      case 6: owner = try payload.text()
      default: try payload.skip()
      }
    }
    guard let subscriberID else { throw .missingField(1) }
    guard let filter else { throw .missingField(2) }
    guard let address else { throw .missingField(3) }
    guard let expiresAt else { throw .missingField(5) }
    self.init(
      subscriberID: subscriberID, filter: SubscriptionFilter(journaled: filter), address: address,
      properties: properties, expiresAt: expiresAt, owner: owner)
  }
}

extension SubscriptionTerms.Property {
  fileprivate init(payload: inout PayloadReader) throws(PayloadError) {
    var name: String?, value: String?
    while let field = try payload.next() {
      switch field {
      case 1: name = try payload.text()
      case 2: value = try payload.text()
      default: try payload.skip()
      }
    }
    guard let name else { throw .missingField(1) }
    guard let value else { throw .missingField(2) }
    self.init(name, value)
  }
}

extension Publication {
  fileprivate func encode(into writer: inout PayloadWriter) {
    writer.integer(1, number)
    writer.text(2, tag)
    writer.data(3, content.bytes)
    if content.isObject { writer.bool(4, true) }
  }

  fileprivate init(payload: inout PayloadReader) throws(PayloadError) {
    var number: Int?, tag: String?, bytes: [UInt8]?
    var isObject = false
    while let field = try payload.next() {
      switch field {
      case 1: number = try payload.count(field)
      case 2: tag = try payload.text()
      case 3: bytes = try payload.data()
      case 4: isObject = try payload.bool()
      default: try payload.skip()
      }
    }
    guard let number else { throw .missingField(1) }
    guard let tag else { throw .missingField(2) }
    guard let bytes else { throw .missingField(3) }
    self.init(number: number, tag: tag, content: PublicationContent(bytes: bytes, isObject: isObject))
  }
}

/// The state of a subscription as snapshots hold it: terms 1 (absent: none, or over), created at 2, owed 3…, highest
/// number 4, finished 5 (absent: no). Field numbers are frozen.
extension Subscription: RestorableState {
  public func encodeState(into writer: inout PayloadWriter) {
    if let terms { writer.nested(1) { terms.encode(into: &$0) } }
    writer.time(2, createdAt)
    for publication in owed { writer.nested(3) { publication.encode(into: &$0) } }
    writer.integer(4, highestNumber)
    if isFinished { writer.bool(5, true) }
  }

  public init(state payload: inout PayloadReader) throws(PayloadError) {
    self.init()
    while let field = try payload.next() {
      switch field {
      case 1:
        var inner = try payload.nested()
        terms = try SubscriptionTerms(payload: &inner)
      case 2: createdAt = try payload.time()
      case 3:
        var inner = try payload.nested()
        owed.append(try Publication(payload: &inner))
      case 4: highestNumber = try payload.count(field)
      case 5: isFinished = try payload.bool()
      default: try payload.skip()
      }
    }
  }
}
