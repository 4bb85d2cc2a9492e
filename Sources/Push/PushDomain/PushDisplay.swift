internal import EventSourcing

/// How a push is to look, as far as its producer says; what is nil comes from the options of its tag. Spec: providers
/// 2.6, 3.2.
public struct PushDisplay: Sendable, Equatable, Codable {
  public var title: String?
  public var subtitle: String?
  public var body: String?
  public var badge: Int?
  public var sound: String?
  public var image: String?
  public var threadID: String?
  public var category: String?
  /// `passive`, `active`, `time-sensitive`, `critical`.
  public var interruptionLevel: String?
  /// Wakes the app; without anything to show it is a background push.
  public var isContentAvailable = false
  public var isMutableContent = false
  /// Kind of push for APNs if it is not to be derived: `alert`, `background`, `voip`, …
  public var pushType: String?
  /// `aps` as the sender itself has written it, the JSON text of an object: its members go over all of the above.
  public var aps: String?

  public init() {}

  /// Bytes of all its texts.
  var textBytes: Int {
    [title, subtitle, body, sound, image, threadID, category, interruptionLevel, pushType, aps]
      .reduce(0) { $0 + ($1?.utf8.count ?? 0) }
  }
}

extension PushDisplay {
  func encode(into writer: inout PayloadWriter) {
    writer.text(1, ifPresent: title)
    writer.text(2, ifPresent: subtitle)
    writer.text(3, ifPresent: body)
    if let badge { writer.integer(4, badge) }
    writer.text(5, ifPresent: sound)
    writer.text(6, ifPresent: image)
    writer.text(7, ifPresent: threadID)
    writer.text(8, ifPresent: category)
    writer.text(9, ifPresent: interruptionLevel)
    if isContentAvailable { writer.bool(10, true) }
    if isMutableContent { writer.bool(11, true) }
    writer.text(12, ifPresent: pushType)
    writer.text(13, ifPresent: aps)
  }

  init(payload: inout PayloadReader) throws(PayloadError) {
    self.init()
    while let field = try payload.next() {
      switch field {
      case 1: title = try payload.text()
      case 2: subtitle = try payload.text()
      case 3: body = try payload.text()
      case 4: badge = try payload.integer()
      case 5: sound = try payload.text()
      case 6: image = try payload.text()
      case 7: threadID = try payload.text()
      case 8: category = try payload.text()
      case 9: interruptionLevel = try payload.text()
      case 10: isContentAvailable = try payload.bool()
      case 11: isMutableContent = try payload.bool()
      case 12: pushType = try payload.text()
      case 13: aps = try payload.text()
      default: try payload.skip()
      }
    }
  }
}
