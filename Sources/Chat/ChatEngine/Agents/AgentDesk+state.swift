public import EventSourcing

/// The state of an agent's desk as snapshots hold it. Frozen: 1 ready (absent: no), 2 and 3 as in the event.
extension AgentDesk: RestorableState {
  public func encodeState(into writer: inout PayloadWriter) {
    guard case .ready(let services) = readiness else { return }
    writer.bool(1, true)
    writer.services(services)
  }

  public init(state payload: inout PayloadReader) throws(PayloadError) {
    self.init()
    let fields = try ReadinessFields(&payload)
    if fields.isReady == true { readiness = .ready(for: fields.services) }
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
struct ReadinessFields {
  private(set) var isReady: Bool?
  private(set) var services: [String]?

  init(_ payload: inout PayloadReader) throws(PayloadError) {
    while let field = try payload.next() {
      switch field {
      case 1: isReady = try payload.bool()
      case 2: services = (services ?? []) + [try payload.text()]
      case 3: if try payload.bool() { services = services ?? [] }
      default: try payload.skip()
      }
    }
  }
}

extension PayloadWriter {
  /// None at all is not the same as all of them.
  mutating func services(_ services: [String]?) {
    guard let services else { return }
    for service in services { text(2, service) }
    if services.isEmpty { bool(3, true) }
  }
}
