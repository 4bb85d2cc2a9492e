public import EventSourcing

/// The state of a Comet session's record as snapshots hold it. Field numbers are frozen; what is absent is empty, false or
/// nil.
extension CometRecord: RestorableState {
  private enum Field {
    static let isOpen = PayloadField<Bool>(1)
    static let isClosed = PayloadField<Bool>(2)
    static let userKey = PayloadField<String>(3)
    static let serviceID = PayloadField<String>(4)
    static let browserID = PayloadField<String>(5)
    static let acknowledges = PayloadField<Bool>(6)
    /// In the order of the subscriptions.
    static let channel = PayloadField<String>(7)
    /// In the order of the sources.
    static let progress = PayloadField<CometProgress>(8)
  }

  public func encodeState(into writer: inout PayloadWriter) {
    writer.put(Field.isOpen, ifTrue: isOpen)
    writer.put(Field.isClosed, ifTrue: isClosed)
    writer.put(Field.userKey, ifPresent: userKey)
    writer.put(Field.serviceID, ifPresent: serviceID)
    writer.put(Field.browserID, ifPresent: browserID)
    writer.put(Field.acknowledges, ifTrue: acknowledges)
    writer.put(each: Field.channel, channels)
    for (source, position) in delivered.sorted(by: { $0.key < $1.key }) {
      writer.put(
        Field.progress, CometProgress(source: source, position: position, confirmed: confirmed[source]))
    }
  }

  public init(state payload: inout PayloadReader) throws(PayloadError) {
    self.init()
    let read = try PayloadFields(&payload)
    isOpen = try read[Field.isOpen] ?? false
    isClosed = try read[Field.isClosed] ?? false
    userKey = try read[Field.userKey]
    serviceID = try read[Field.serviceID]
    browserID = try read[Field.browserID]
    acknowledges = try read[Field.acknowledges] ?? false
    channels = try read.all(Field.channel)
    for progress in try read.all(Field.progress) {
      delivered[progress.source] = progress.position
      confirmed[progress.source] = progress.confirmed
    }
  }

  /// The live session holds what its client is owed and the time that it is given: it never leaves memory by itself.
  public var rest: Rest { .wakeful }
}

/// How far a client has come with one source, as the state and the events about it have it.
struct CometProgress: PayloadPart {
  let source: String
  let position: Int
  let confirmed: Int?

  private enum Field {
    static let source = PayloadField<String>(1)
    static let position = PayloadField<Int>(2)
    /// Absent: all of it.
    static let confirmed = PayloadField<Int>(3)
  }

  init(source: String, position: Int, confirmed: Int? = nil) {
    self.source = source
    self.position = position
    self.confirmed = confirmed
  }

  func encode(into writer: inout PayloadWriter) {
    writer.put(Field.source, source)
    writer.put(Field.position, position)
    writer.put(Field.confirmed, ifPresent: confirmed)
  }

  init(payload: inout PayloadReader) throws(PayloadError) {
    let read = try PayloadFields(&payload)
    self.init(
      source: try read.required(Field.source), position: try read.required(Field.position),
      confirmed: try read[Field.confirmed])
  }
}
