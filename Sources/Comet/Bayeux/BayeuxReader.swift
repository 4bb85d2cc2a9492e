import JSONEnvelope

/// The working state of ``BayeuxDecoder``.
struct BayeuxReader {
  var scanner: JSONScanner
  let limits: BayeuxLimits
  /// The first thing found that is JSON but not acceptable. It is kept rather than thrown: one error type travels
  /// through the parsing functions.
  private(set) var refusal: BayeuxDecodingError?

  init(scanner: JSONScanner, limits: BayeuxLimits) {
    self.scanner = scanner
    self.limits = limits
  }

  /// Stops early, at a ``refusal`` or at malformed text.
  mutating func messages() throws(JSONError) -> [BayeuxMessage] {
    var messages: [BayeuxMessage] = []
    switch try scanner.peekKind() {
    case .object:
      messages.append(try message())
    case .array:
      messages.reserveCapacity(4)
      try scanner.beginArray()
      while try scanner.nextElement() {
        guard try scanner.peekKind() == .object else {
          refuse(.notAMessage)
          return []
        }
        guard messages.count < limits.messagesReadMaximum else {
          refuse(.tooManyMessages)
          return []
        }
        messages.append(try message())
        if refusal != nil { return [] }
      }
      if messages.isEmpty { refuse(.empty) }
    default:
      refuse(.notAMessage)
      return []
    }
    try scanner.end()
    return messages
  }

  private mutating func refuse(_ error: BayeuxDecodingError) {
    if refusal == nil { refusal = error }
  }

  private mutating func message() throws(JSONError) -> BayeuxMessage {
    var message = BayeuxMessage()
    var topLevelPosition: Int?
    var extPosition: Int?
    try scanner.beginObject()
    while let key = try scanner.nextKey() {
      switch key {
      case "channel": message.channel = try scanner.stringIfAny()
      case "clientId": message.clientID = try scanner.stringIfAny()
      case "id": message.id = try identifier()
      case "data": message.data = try scanner.rawValue()
      case "ext": extPosition = try ext(into: &message)
      case "advice": try advice(into: &message)
      case "subscription": try subscription(into: &message)
      case "version": message.version = try scanner.stringIfAny()
      case "supportedConnectionTypes": message.supportedConnectionTypes = try texts()
      case "transcriptPosition": topLevelPosition = try position()
      default: try scanner.skipValue()
      }
    }
    message.transcriptPosition = extPosition ?? topLevelPosition
    return message
  }

  /// Texts and numbers are taken as they came; anything else is no id.
  private mutating func identifier() throws(JSONError) -> [UInt8]? {
    let kind = try scanner.peekKind()
    let range = try scanner.rawRange()
    guard kind == .string || kind == .number else { return nil }
    if range.count > limits.idBytesMaximum { refuse(.fieldTooLong) }
    return scanner.text(in: range)
  }

  private mutating func subscription(into message: inout BayeuxMessage) throws(JSONError) {
    message.subscription = nil
    message.subscriptionText = nil
    let kind = try scanner.peekKind()
    let start = scanner.position
    switch kind {
    case .string: message.subscription = [try scanner.string()]
    case .array: message.subscription = try texts()
    case .null:
      try scanner.skipValue()
      return
    default: try scanner.skipValue()
    }
    let range = start..<scanner.position
    if range.count > limits.subscriptionBytesMaximum { refuse(.fieldTooLong) }
    message.subscriptionText = scanner.text(in: range)
  }

  /// An array of texts; nil if it is none or holds something else.
  private mutating func texts() throws(JSONError) -> [String]? {
    guard try scanner.peekKind() == .array else {
      try scanner.skipValue()
      return nil
    }
    var texts: [String] = []
    var isPure = true
    try scanner.beginArray()
    while try scanner.nextElement() {
      if let text = try scanner.stringIfAny() {
        if texts.count < limits.listMaximum { texts.append(text) } else { refuse(.fieldTooLong) }
      } else {
        isPure = false
      }
    }
    return isPure ? texts : nil
  }

  private mutating func advice(into message: inout BayeuxMessage) throws(JSONError) {
    message.adviceTimeout = nil
    message.adviceInterval = nil
    guard try scanner.peekKind() == .object else { return try scanner.skipValue() }
    try scanner.beginObject()
    while let key = try scanner.nextKey() {
      switch key {
      case "timeout": message.adviceTimeout = try duration()
      case "interval": message.adviceInterval = try duration()
      default: try scanner.skipValue()
      }
    }
  }

  /// Milliseconds; a negative value means "as you like" and counts as absent.
  private mutating func duration() throws(JSONError) -> Int? {
    guard let value = try scanner.integerIfAny(), value >= 0 else { return nil }
    return value
  }

  /// Decodes what we know of `ext` and keeps its text; the transcript position in it.
  private mutating func ext(into message: inout BayeuxMessage) throws(JSONError) -> Int? {
    message.ext = nil
    message.acknowledged = nil
    message.wantsAcknowledgment = false
    message.timesync = nil
    message.userKey = nil
    message.serviceID = nil
    message.userToken = nil
    guard try scanner.peekKind() == .object else {
      try scanner.skipValue()
      return nil
    }
    var transcriptPosition: Int?
    let start = scanner.position
    try scanner.beginObject()
    while let key = try scanner.nextKey() {
      switch key {
      case "ack": try acknowledgment(into: &message)
      case "timesync": message.timesync = try timesync()
      case "gms_user": message.userKey = try scanner.stringIfAny()
      case "gms_token": message.userToken = try scanner.stringIfAny()
      case "serviceId": message.serviceID = try scanner.stringIfAny()
      case "transcriptPosition": transcriptPosition = try position()
      default: try scanner.skipValue()
      }
    }
    message.ext = scanner.text(in: start..<scanner.position)
    return transcriptPosition
  }

  private mutating func acknowledgment(into message: inout BayeuxMessage) throws(JSONError) {
    message.acknowledged = nil
    message.wantsAcknowledgment = false
    if try scanner.peekKind() == .bool {
      message.wantsAcknowledgment = try scanner.bool()
    } else {
      message.acknowledged = try scanner.integerIfAny()
    }
  }

  /// Nil without the client's clock: there is nothing to be said then.
  private mutating func timesync() throws(JSONError) -> TimeSync? {
    guard try scanner.peekKind() == .object else {
      try scanner.skipValue()
      return nil
    }
    var (client, lag, offset): (Int?, Int?, Int?)
    try scanner.beginObject()
    while let key = try scanner.nextKey() {
      switch key {
      case "tc": client = try clock()
      case "l": lag = try clock()
      case "o": offset = try clock()
      default: try scanner.skipValue()
      }
    }
    return client.map { TimeSync(client: $0, lag: lag, offset: offset) }
  }

  private mutating func clock() throws(JSONError) -> Int? {
    guard let value = try scanner.integerIfAny(), TimeSync.clocks.contains(value) else { return nil }
    return value
  }

  /// A transcript position: a number, or a text of digits. Spec: GMS 0.2, 5.2.
  private mutating func position() throws(JSONError) -> Int? {
    let value: Int?
    if try scanner.peekKind() == .string {
      let text = try scanner.string()
      value = text.utf8.allSatisfy { $0 &- UInt8(ascii: "0") < 10 } ? Int(text) : nil
    } else {
      value = try scanner.integerIfAny()
    }
    guard let value, value >= 0 else { return nil }
    return value
  }
}
