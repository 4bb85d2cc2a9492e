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

  public var rest: Rest { .asleep(until: nil) }
}
