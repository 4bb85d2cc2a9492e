public import EventSourcing

/// The state of a Comet session's record as snapshots hold it. Field numbers are frozen.
///
/// | field | content |
/// |---|---|
/// | 1 | open |
/// | 2 | closed |
/// | 3 | user key |
/// | 4 | service id |
/// | 5 | browser id |
/// | 6 | acknowledges |
/// | 7 | channel…, in the order of the subscriptions |
/// | 8 | delivered…, in the order of the sources: source 1, position 2, confirmed 3 (absent: all of it) |
///
/// What is absent is empty, false or nil.
extension CometRecord: RestorableState {
  public func encodeState(into writer: inout PayloadWriter) {
    if isOpen { writer.bool(1, true) }
    if isClosed { writer.bool(2, true) }
    writer.text(3, ifPresent: userKey)
    writer.text(4, ifPresent: serviceID)
    writer.text(5, ifPresent: browserID)
    if acknowledges { writer.bool(6, true) }
    for channel in channels { writer.text(7, channel) }
    for (source, position) in delivered.sorted(by: { $0.key < $1.key }) {
      writer.nested(8) { inner in
        inner.text(1, source)
        inner.integer(2, position)
        if let confirmed = confirmed[source] { inner.integer(3, confirmed) }
      }
    }
  }

  public init(state payload: inout PayloadReader) throws(PayloadError) {
    self.init()
    while let field = try payload.next() {
      switch field {
      case 1: isOpen = try payload.bool()
      case 2: isClosed = try payload.bool()
      case 3: userKey = try payload.text()
      case 4: serviceID = try payload.text()
      case 5: browserID = try payload.text()
      case 6: acknowledges = try payload.bool()
      case 7: channels.append(try payload.text())
      case 8:
        var inner = try payload.nested()
        let (source, position, confirmed) = try Self.progress(&inner)
        delivered[source] = position
        self.confirmed[source] = confirmed
      default: try payload.skip()
      }
    }
  }

  /// The live session holds what its client is owed and the time that it is given: it never leaves memory by itself.
  public var rest: Rest { .wakeful }

  /// How far a client has come, as the state and the events about it have it: source, position, confirmed.
  static func progress(_ payload: inout PayloadReader) throws(PayloadError) -> (String, Int, Int?) {
    var (source, position, confirmed) = (String?.none, Int?.none, Int?.none)
    while let field = try payload.next() {
      switch field {
      case 1: source = try payload.text()
      case 2: position = try payload.integer()
      case 3: confirmed = try payload.integer()
      default: try payload.skip()
      }
    }
    guard let source else { throw .missingField(1) }
    guard let position else { throw .missingField(2) }
    return (source, position, confirmed)
  }
}
