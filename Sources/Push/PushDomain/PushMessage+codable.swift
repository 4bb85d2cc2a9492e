internal import EventSourcing

extension PushMessage: Codable {
  private enum CodingKeys: String, CodingKey {
    case producer, number, tag, alert, content, compactContent, service, target, attemptsMaximum, expiry, collapseKey
    case priority, isNowOrNever, display, form, owner, registeredAt, submissionID
  }

  // By hand for one reason: the contents are JSON text and are printed as text, not as lists of numbers.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    self.init(
      producer: try container.decode(String.self, forKey: .producer),
      number: try container.decode(Int.self, forKey: .number),
      tag: try container.decode(String.self, forKey: .tag),
      alert: try container.decode(String.self, forKey: .alert),
      content: Array(try container.decode(String.self, forKey: .content).utf8),
      compactContent: try container.decodeIfPresent(String.self, forKey: .compactContent).map { Array($0.utf8) },
      service: try container.decode(String.self, forKey: .service),
      target: try container.decode(PushAddress.self, forKey: .target),
      attemptsMaximum: try container.decode(Int.self, forKey: .attemptsMaximum),
      expiry: try container.decodeIfPresent(Timestamp.self, forKey: .expiry),
      collapseKey: try container.decodeIfPresent(String.self, forKey: .collapseKey),
      priority: try container.decode(PushPriority.self, forKey: .priority),
      isNowOrNever: try container.decodeIfPresent(Bool.self, forKey: .isNowOrNever) ?? false,
      display: try container.decodeIfPresent(PushDisplay.self, forKey: .display),
      form: try container.decodeIfPresent(PushContentForm.self, forKey: .form) ?? .message,
      owner: try container.decodeIfPresent(String.self, forKey: .owner),
      registeredAt: try container.decodeIfPresent(Timestamp.self, forKey: .registeredAt),
      submissionID: try container.decodeIfPresent(String.self, forKey: .submissionID))
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(producer, forKey: .producer)
    try container.encode(number, forKey: .number)
    try container.encode(tag, forKey: .tag)
    try container.encode(alert, forKey: .alert)
    try container.encode(String(decoding: content, as: UTF8.self), forKey: .content)
    try container.encodeIfPresent(
      compactContent.map { String(decoding: $0, as: UTF8.self) }, forKey: .compactContent)
    try container.encode(service, forKey: .service)
    try container.encode(target, forKey: .target)
    try container.encode(attemptsMaximum, forKey: .attemptsMaximum)
    try container.encodeIfPresent(expiry, forKey: .expiry)
    try container.encodeIfPresent(collapseKey, forKey: .collapseKey)
    try container.encode(priority, forKey: .priority)
    if isNowOrNever { try container.encode(true, forKey: .isNowOrNever) }
    try container.encodeIfPresent(display, forKey: .display)
    if form != .message { try container.encode(form, forKey: .form) }
    try container.encodeIfPresent(owner, forKey: .owner)
    try container.encodeIfPresent(registeredAt, forKey: .registeredAt)
    try container.encodeIfPresent(submissionID, forKey: .submissionID)
  }
}
