public import EventSourcing

/// The state of an agent's desk as snapshots hold it: nothing for one who is away, else as in the event. Frozen.
extension AgentDesk: RestorableState {
  public func encodeState(into writer: inout PayloadWriter) {
    guard case .ready(let services) = readiness else { return }
    ReadinessPart(isReady: true, services: services).encode(into: &writer)
  }

  public init(state payload: inout PayloadReader) throws(PayloadError) {
    self.init()
    let part = try ReadinessPart(payload: &payload)
    if part.isReady == true { readiness = .ready(for: part.services) }
  }

  /// What the router of callbacks must know of a desk that sleeps: nothing for an agent who is away, one byte for one who
  /// is ready for all services, the state behind it for others.
  package static func note(_ desk: borrowing AgentDesk) -> [UInt8] {
    switch desk.readiness {
    case .away: []
    case .ready(nil): [1]
    case .ready: [1] + desk.stateBytes
    }
  }

  package static func readiness(note: [UInt8]) throws(PayloadError) -> AgentReadiness {
    guard note.first == 1 else { return .away }
    return note.count == 1 ? .ready(for: nil) : try AgentDesk(stateBytes: Array(note.dropFirst())).readiness
  }

  public var rest: Rest { .asleep(until: nil) }
}

/// The fields that event and state share.
struct ReadinessPart: PayloadPart {
  enum Field {
    static let isReady = PayloadField<Bool>(1)
    /// None and no list: all services.
    static let service = PayloadField<String>(2)
    /// There is a list, and nothing in it.
    static let listIsEmpty = PayloadField<Bool>(3)
  }

  /// Nil: the payload does not say so.
  let isReady: Bool?
  /// Nil: all. None at all is not the same.
  let services: [String]?

  init(isReady: Bool, services: [String]?) {
    self.isReady = isReady
    self.services = services
  }

  func encode(into writer: inout PayloadWriter) {
    writer.put(Field.isReady, ifPresent: isReady)
    guard let services else { return }
    writer.put(each: Field.service, services)
    writer.put(Field.listIsEmpty, ifTrue: services.isEmpty)
  }

  init(payload: inout PayloadReader) throws(PayloadError) {
    let read = try PayloadFields(&payload)
    isReady = try read[Field.isReady]
    let services = try read.all(Field.service)
    let isList = try read[Field.listIsEmpty] ?? false
    self.services = services.isEmpty && !isList ? nil : services
  }
}
