import JSONEnvelope
import PushDomain

/// The JSON that legacy HTTP and XMPP have in common. Spec: GCM B2, C4.
extension DownstreamRequest {
  /// The body of `POST /gcm/send` with `Content-Type: application/json`.
  /// - Throws: with a code, to be answered as the answer to the message; without one, as 400.
  public init(json bytes: UnsafeRawBufferPointer) throws(DownstreamRefusal) {
    let fields = try RequestFields(parsing: bytes)
    try self.init(fields, target: try Self.target(fields))
  }

  public init(json bytes: [UInt8]) throws(DownstreamRefusal) {
    // A typed error does not pass through the closure's rethrows, so it travels as a result.
    self = try bytes.withUnsafeBytes { buffer in
      Result { () throws(DownstreamRefusal) in try DownstreamRequest(json: buffer) }
    }.get()
  }

  init(_ fields: RequestFields, target: DownstreamTarget) throws(DownstreamRefusal) {
    self.init(target: target)
    do throws(DownstreamRefusal) {
      try readOptions(fields)
      if let object = try fields.object("data") { data = try MessagePayload.data(object) }
      if let object = try fields.object("notification") { notification = try MessagePayload.notification(object) }
      try MessagePayload.checkSize(self)
    } catch {
      var refusal = error
      refusal.target = target
      throw refusal
    }
  }

  private mutating func readOptions(_ fields: RequestFields) throws(DownstreamRefusal) {
    collapseKey = try fields.string("collapse_key", limit: DownstreamLimits.collapseKeyBytesMaximum)
      .flatMap { $0.isEmpty ? nil : $0 }
    priority = try Self.priority(try fields.string("priority"))
    contentAvailable = try fields.bool("content_available") ?? false
    mutableContent = try fields.bool("mutable_content") ?? false
    delayWhileIdle = try fields.bool("delay_while_idle") ?? false
    restrictedPackageName = try fields.string(
      "restricted_package_name", limit: DownstreamLimits.packageNameBytesMaximum)
    isDryRun = try fields.bool("dry_run") ?? false
    wantsReceipt = try fields.bool("delivery_receipt_requested") ?? false
    if let value = fields.value("time_to_live") {
      guard value.double != nil else { throw .wrongType("time_to_live", "number", value.excerpt) }
      guard let seconds = value.integer, (0...DownstreamLimits.timeToLiveMaximum).contains(seconds) else {
        throw .timeToLive(value.excerpt)
      }
      timeToLive = seconds
    }
  }

  static func priority(_ text: String?) throws(DownstreamRefusal) -> PushPriority? {
    switch text {
    case nil: nil
    case "high": .high
    case "normal": .normal
    case let other?: throw .invalidValue("priority", other, "must be \"normal\" or \"high\"")
    }
  }

  // MARK: The target

  private static func target(_ fields: RequestFields) throws(DownstreamRefusal) -> DownstreamTarget {
    let tokens = try fields.strings("registration_ids")
    let single = try singleTarget(fields)
    guard let tokens else {
      guard let single else { throw DownstreamRefusal(.missingRegistration, "Missing \"registration_ids\" field") }
      return single
    }
    guard single == nil else {
      throw DownstreamRefusal(nil, "Must use either \"registration_ids\" field or \"to\", not both")
    }
    guard !tokens.isEmpty else { throw DownstreamRefusal(nil, "\"registration_ids\" field cannot be empty") }
    guard tokens.count <= DownstreamLimits.targetsMaximum else {
      let maximum = DownstreamLimits.targetsMaximum
      throw DownstreamRefusal(
        nil, "Number of messages on bulk (\(tokens.count)) exceeds maximum allowed (\(maximum))")
    }
    return .tokens(tokens)
  }

  /// What `to`, its older name `notification_key`, or `condition` says; nil if none of them is there.
  static func singleTarget(_ fields: RequestFields) throws(DownstreamRefusal) -> DownstreamTarget? {
    var recipient = try fields.string("to")
    if recipient == nil { recipient = try fields.string("notification_key") }
    guard let text = try fields.string("condition") else {
      guard let recipient else { return nil }
      return try target(of: recipient)
    }
    guard recipient == nil else {
      throw DownstreamRefusal(nil, "Must use either \"to\" field or \"condition\", not both")
    }
    return try condition(text)
  }

  /// Nil for an empty text, which names nobody.
  private static func target(of recipient: String) throws(DownstreamRefusal) -> DownstreamTarget? {
    guard !recipient.isEmpty else { return nil }
    guard let topic = TopicName.named(by: recipient) else { return .recipient(recipient) }
    guard TopicName.isValid(topic) else {
      throw .invalidValue("to", recipient, "a topic's name consists of [a-zA-Z0-9-_.~%]")
    }
    return .topic(topic)
  }

  private static func condition(_ text: String) throws(DownstreamRefusal) -> DownstreamTarget {
    do throws(TopicConditionError) {
      return .condition(try TopicCondition(parsing: text))
    } catch {
      throw .invalidValue("condition", text, error.description)
    }
  }
}
