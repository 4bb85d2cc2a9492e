public import EventSourcing

/// The events of an app as the journal holds them: integration 1, webhook 2, the URL before it 3
/// (absent: there is none), who 4, state 5. Tags and field numbers are frozen: never change one, never use one again.
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
    case .integrationChanged(let integration): writer.code(1, integration)
    case .webhookSet(let webhook, let previous):
      writer.part(2, webhook)
      writer.part(3, previous)
    case .webhookCleared(let name): writer.text(4, name)
    case .restated(let state): writer.data(5, state)
    }
  }

  public init(tag: EventTag, payload: inout PayloadReader) throws(PayloadError) {
    var integration: SupportIntegration?, webhook: SupportApp.Webhook?, previous: SupportApp.Previous?
    var name: String?, state: [UInt8]?
    while let field = try payload.next() {
      switch field {
      case 1: integration = try payload.code(field)
      case 2: webhook = try payload.part()
      case 3: previous = try payload.part()
      case 4: name = try payload.text()
      case 5: state = try payload.data()
      default: try payload.skip()
      }
    }
    switch tag {
    case 1: self = .integrationChanged(try integration.required(1))
    case 2: self = .webhookSet(try webhook.required(2), previous: previous)
    case 3: self = .webhookCleared(by: try name.required(4))
    case 4:
      let state = try state.required(5)
      // `evolve` asks no questions, so the answer is found here.
      _ = try SupportApp(stateBytes: state)
      self = .restated(state: state)
    default: throw .unknownTag(tag)
    }
  }
}

/// The state of an app as snapshots and restatements hold it: integration 1 (absent: none was named), webhook 2
/// (absent: the configuration's), the one before 3 (absent: none). Field numbers are frozen.
extension SupportApp: RestorableState {
  public func encodeState(into writer: inout PayloadWriter) {
    if let integration { writer.code(1, integration) }
    writer.part(2, webhook)
    writer.part(3, previous)
  }

  public init(state payload: inout PayloadReader) throws(PayloadError) {
    self.init()
    while let field = try payload.next() {
      switch field {
      case 1: integration = try payload.code(field)
      case 2: webhook = try payload.part()
      case 3: previous = try payload.part()
      default: try payload.skip()
      }
    }
  }
}

/// Base 1, secret 2 (absent: none), at 3, by 4. Field numbers are frozen.
extension SupportApp.Webhook: PayloadPart {
  func encode(into writer: inout PayloadWriter) {
    writer.text(1, base)
    writer.text(2, ifPresent: secret)
    writer.time(3, at)
    writer.text(4, by)
  }

  init(payload: inout PayloadReader) throws(PayloadError) {
    var base: String?, secret: String?, at: Timestamp?, name: String?
    while let field = try payload.next() {
      switch field {
      case 1: base = try payload.text()
      case 2: secret = try payload.text()
      case 3: at = try payload.time()
      case 4: name = try payload.text()
      default: try payload.skip()
      }
    }
    self.init(base: try base.required(1), secret: secret, at: try at.required(3), by: try name.required(4))
  }
}

/// URL 1, until 2. Field numbers are frozen.
extension SupportApp.Previous: PayloadPart {
  func encode(into writer: inout PayloadWriter) {
    writer.text(1, url)
    writer.time(2, until)
  }

  init(payload: inout PayloadReader) throws(PayloadError) {
    var url: String?, until: Timestamp?
    while let field = try payload.next() {
      switch field {
      case 1: url = try payload.text()
      case 2: until = try payload.time()
      default: try payload.skip()
      }
    }
    self.init(url: try url.required(1), until: try until.required(2))
  }
}
