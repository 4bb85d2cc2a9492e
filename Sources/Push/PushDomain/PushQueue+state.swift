public import EventSourcing

/// The state of a queue as snapshots and restatements hold it. Field numbers are frozen.
extension PushQueue: RestorableState {
  private enum Field {
    /// Always written.
    static let arrivals = PayloadField<Count>(1)
    /// Why the address is gone; absent: it is not.
    static let unregisteredReason = PayloadField<String>(2)
    /// Of the expiry timer; absent: it does not run.
    static let armedFor = PayloadField<Timestamp>(3)
    /// The last event moved the expiry timer.
    static let hasTimerMoved = PayloadField<Bool>(4)
    /// In the order of the producers.
    static let lanes = PayloadField<NamedLane>(5)
    static let inFlight = PayloadField<PushID>(6)
    /// What the courier lane was offered; absent: nothing.
    static let offered = PayloadField<PushPriority>(7)
    /// The last event made that offer.
    static let isOfferNew = PayloadField<Bool>(8)
    /// A push was delivered once.
    static let hasDelivered = PayloadField<Bool>(9)
    /// When the device showed its address last; absent: never told.
    static let registeredAt = PayloadField<Timestamp>(10)
    /// Oldest first.
    static let deadLetters = PayloadField<DeadLetter>(11)
    /// Absent: empty.
    static let mail = PayloadField<Mailbox>(12)
    /// Absent: none.
    static let submissions = PayloadField<RecentIDs>(13)
  }

  public func encodeState(into writer: inout PayloadWriter) {
    writer.put(Field.arrivals, arrivals)
    writer.put(Field.unregisteredReason, ifPresent: unregisteredReason)
    writer.put(Field.armedFor, ifPresent: expiryTimer.armedFor)
    writer.put(Field.hasTimerMoved, ifTrue: expiryTimer.hasMoved)
    writer.put(each: Field.lanes, lanes.sorted { $0.key < $1.key }.map { NamedLane(producer: $0.key, lane: $0.value) })
    writer.put(Field.inFlight, ifPresent: inFlight)
    writer.put(Field.offered, ifPresent: offer.priority)
    writer.put(Field.isOfferNew, ifTrue: offer.isNew)
    writer.put(Field.hasDelivered, ifTrue: hasDelivered)
    writer.put(Field.registeredAt, ifPresent: registeredAt)
    writer.put(each: Field.deadLetters, deadLetters)
    writer.put(Field.mail, mail, unless: Mailbox())
    writer.put(Field.submissions, submissions, unless: RecentIDs())
  }

  public init(state payload: inout PayloadReader) throws(PayloadError) {
    self.init()
    let read = try PayloadFields(&payload)
    arrivals = try read.required(Field.arrivals)
    unregisteredReason = try read[Field.unregisteredReason]
    expiryTimer.armedFor = try read[Field.armedFor]
    expiryTimer.hasMoved = try read[Field.hasTimerMoved] ?? false
    for named in try read.all(Field.lanes) { lanes[named.producer] = named.lane }
    inFlight = try read[Field.inFlight]
    offer.priority = try read[Field.offered]
    offer.isNew = try read[Field.isOfferNew] ?? false
    hasDelivered = try read[Field.hasDelivered] ?? false
    registeredAt = try read[Field.registeredAt]
    deadLetters = try read.all(Field.deadLetters)
    mail = try read[Field.mail] ?? Mailbox()
    submissions = try read[Field.submissions] ?? RecentIDs()
    guard isCountedOnce else { throw .outOfRange(field: Field.lanes.number) }
  }

  /// Each message has an arrival of its own, and the next one will have: else their order would be a dictionary's.
  private var isCountedOnce: Bool {
    let places = lanes.values.flatMap { $0.entries.map(\.arrival) }
    return places.allSatisfy { $0 <= arrivals } && Set(places).count == places.count
  }

  /// Awake while something is in a provider's hands or could be; everything else that a queue waits for has a timer.
  public var rest: Rest {
    guard isUnregistered || (inFlight == nil && sendable == nil) else { return .wakeful }
    let pauses = isUnregistered ? [] : lanes.values.compactMap(\.pausedUntil)
    let deadlines = pauses + [expiryTimer.armedFor].compactMap(\.self)
    return .asleep(until: deadlines.min())
  }
}
