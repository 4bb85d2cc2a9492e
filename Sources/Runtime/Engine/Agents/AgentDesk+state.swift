public import EventSourcing

/// The state of an agent's desk as snapshots hold it. Frozen: 1 ready (absent: no).
extension AgentDesk: RestorableState {
  public func encodeState(into writer: inout PayloadWriter) { if isReady { writer.bool(1, true) } }

  public init(state payload: inout PayloadReader) throws(PayloadError) {
    self.init()
    while let field = try payload.next() {
      if field == 1 { isReady = try payload.bool() } else { try payload.skip() }
    }
  }

  /// What the router of callbacks must know of a desk that sleeps: whether the agent is ready.
  static func note(_ desk: borrowing AgentDesk) -> [UInt8] { desk.isReady ? [1] : [] }
  static func isReady(note: [UInt8]) -> Bool { note == [1] }

  public var rest: Rest { .asleep(until: nil) }
}
