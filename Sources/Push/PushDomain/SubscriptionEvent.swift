public import EventSourcing

/// The fields of subscription events, beside those of the terms or the publication that an event is.
private enum Field {
  static let number = PayloadField<Count>(1)
  static let reason = PayloadField<String>(1)
}

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
    case .handedOver(let number): writer.put(Field.number, number)
    case .ended(let reason): writer.put(Field.reason, reason)
    case .erased: break
    }
  }

  public init(tag: EventTag, payload: inout PayloadReader) throws(PayloadError) {
    switch tag {
    case 1: self = .opened(try SubscriptionTerms(payload: &payload))
    case 2: self = .published(try Publication(payload: &payload))
    case 3: self = .handedOver(try PayloadFields(&payload).required(Field.number))
    case 4: self = .ended(reason: try PayloadFields(&payload).required(Field.reason))
    case 5: self = .erased
    default: throw .unknownTag(tag)
    }
  }
}

extension SubscriptionTerms: PayloadPart {
  private enum Field {
    static let subscriberID = PayloadField<String>(1)
    static let filter = PayloadField<String>(2)
    static let address = PayloadField<PushAddress>(3)
    static let properties = PayloadField<WholePair>(4)
    static let expiresAt = PayloadField<Timestamp>(5)
    static let owner = PayloadField<String>(6)
  }

  public func encode(into writer: inout PayloadWriter) {
    writer.put(Field.subscriberID, subscriberID)
    writer.put(Field.filter, filter.text)
    writer.put(Field.address, address)
    writer.put(each: Field.properties, properties)
    writer.put(Field.expiresAt, expiresAt)
    writer.put(Field.owner, ifPresent: owner)
  }

  public init(payload: inout PayloadReader) throws(PayloadError) {
    let read = try PayloadFields(&payload)
    self.init(
      subscriberID: try read.required(Field.subscriberID),
      filter: SubscriptionFilter(journaled: try read.required(Field.filter)), address: try read.required(Field.address),
      properties: try read.all(Field.properties), expiresAt: try read.required(Field.expiresAt),
      owner: try read[Field.owner])
  }
}

extension Publication: PayloadPart {
  private enum Field {
    static let number = PayloadField<Count>(1)
    static let tag = PayloadField<String>(2)
    static let content = PayloadField<[UInt8]>(3)
    static let isObject = PayloadField<Bool>(4)
    static let id = PayloadField<String>(5)
  }

  public func encode(into writer: inout PayloadWriter) {
    writer.put(Field.number, number)
    writer.put(Field.tag, tag)
    writer.put(Field.content, content.bytes)
    writer.put(Field.isObject, ifTrue: content.isObject)
    writer.put(Field.id, ifPresent: id)
  }

  public init(payload: inout PayloadReader) throws(PayloadError) {
    let read = try PayloadFields(&payload)
    self.init(
      number: try read.required(Field.number), tag: try read.required(Field.tag),
      content: PublicationContent(
        bytes: try read.required(Field.content), isObject: try read[Field.isObject] ?? false),
      id: try read[Field.id])
  }
}

/// The state of a subscription as snapshots hold it. Field numbers are frozen.
extension Subscription: RestorableState {
  private enum Field {
    /// Absent: none, or over.
    static let terms = PayloadField<SubscriptionTerms>(1)
    static let createdAt = PayloadField<Timestamp>(2)
    static let owed = PayloadField<Publication>(3)
    static let highestNumber = PayloadField<Count>(4)
    static let isFinished = PayloadField<Bool>(5)
    /// Absent: none.
    static let recent = PayloadField<RecentIDs>(6)
  }

  public func encodeState(into writer: inout PayloadWriter) {
    writer.put(Field.terms, ifPresent: terms)
    writer.put(Field.createdAt, createdAt)
    writer.put(each: Field.owed, owed)
    writer.put(Field.highestNumber, highestNumber)
    writer.put(Field.isFinished, ifTrue: isFinished)
    writer.put(Field.recent, recent, unless: RecentIDs())
  }

  public init(state payload: inout PayloadReader) throws(PayloadError) {
    self.init()
    let read = try PayloadFields(&payload)
    terms = try read[Field.terms]
    createdAt = try read[Field.createdAt] ?? .epoch
    owed = try read.all(Field.owed)
    highestNumber = try read[Field.highestNumber] ?? 0
    isFinished = try read[Field.isFinished] ?? false
    recent = try read[Field.recent] ?? RecentIDs()
  }
}
