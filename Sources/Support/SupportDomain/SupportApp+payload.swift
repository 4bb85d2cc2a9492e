public import EventSourcing

/// The fields of an app's events. A number means the same in every event and is never used again for another.
private enum Field {
  static let integration = PayloadField<SupportIntegration>(1)
  static let webhook = PayloadField<SupportApp.Webhook>(2)
  /// The URL before it; absent: there is none.
  static let previous = PayloadField<SupportApp.Previous>(3)
  /// Who.
  static let name = PayloadField<String>(4)
  static let state = PayloadField<[UInt8]>(5)
}

/// The events of an app as the journal holds them. Tags are frozen: never change one, never use one again.
extension SupportAppEvent: JournaledEvent {
  public var tag: EventTag {
    switch self {
    case .integrationChanged: 1
    case .webhookSet: 2
    case .webhookCleared: 3
    case .restated: 4
    }
  }

  public func encode(into writer: inout PayloadWriter) {
    switch self {
    case .integrationChanged(let integration): writer.put(Field.integration, integration)
    case .webhookSet(let webhook, let previous):
      writer.put(Field.webhook, webhook)
      writer.put(Field.previous, ifPresent: previous)
    case .webhookCleared(let name): writer.put(Field.name, name)
    case .restated(let state): writer.put(Field.state, state)
    }
  }

  public init(tag: EventTag, payload: inout PayloadReader) throws(PayloadError) {
    let read = try PayloadFields(&payload)
    switch tag {
    case 1: self = .integrationChanged(try read.required(Field.integration))
    case 2: self = .webhookSet(try read.required(Field.webhook), previous: try read[Field.previous])
    case 3: self = .webhookCleared(by: try read.required(Field.name))
    case 4:
      let state = try read.required(Field.state)
      // `evolve` asks no questions, so the answer is found here.
      _ = try SupportApp(stateBytes: state)
      self = .restated(state: state)
    default: throw .unknownTag(tag)
    }
  }
}

/// The state of an app as snapshots and restatements hold it. Field numbers are frozen.
extension SupportApp: RestorableState {
  private enum Field {
    /// Absent: none was named.
    static let integration = PayloadField<SupportIntegration>(1)
    /// Absent: the configuration's.
    static let webhook = PayloadField<Webhook>(2)
    static let previous = PayloadField<Previous>(3)
  }

  public func encodeState(into writer: inout PayloadWriter) {
    writer.put(Field.integration, ifPresent: integration)
    writer.put(Field.webhook, ifPresent: webhook)
    writer.put(Field.previous, ifPresent: previous)
  }

  public init(state payload: inout PayloadReader) throws(PayloadError) {
    self.init()
    let read = try PayloadFields(&payload)
    integration = try read[Field.integration]
    webhook = try read[Field.webhook]
    previous = try read[Field.previous]
  }
}

// Field numbers are frozen.
extension SupportApp.Webhook: PayloadPart {
  private enum Field {
    static let base = PayloadField<String>(1)
    static let secret = PayloadField<String>(2)
    static let at = PayloadField<Timestamp>(3)
    static let by = PayloadField<String>(4)
  }

  public func encode(into writer: inout PayloadWriter) {
    writer.put(Field.base, base)
    writer.put(Field.secret, ifPresent: secret)
    writer.put(Field.at, at)
    writer.put(Field.by, by)
  }

  public init(payload: inout PayloadReader) throws(PayloadError) {
    let read = try PayloadFields(&payload)
    self.init(
      base: try read.required(Field.base), secret: try read[Field.secret], at: try read.required(Field.at),
      by: try read.required(Field.by))
  }
}

extension SupportApp.Previous: PayloadPart {
  private enum Field {
    static let url = PayloadField<String>(1)
    static let until = PayloadField<Timestamp>(2)
  }

  public func encode(into writer: inout PayloadWriter) {
    writer.put(Field.url, url)
    writer.put(Field.until, until)
  }

  public init(payload: inout PayloadReader) throws(PayloadError) {
    let read = try PayloadFields(&payload)
    self.init(
      url: try read.required(Field.url), until: try read.required(Field.until))
  }
}
