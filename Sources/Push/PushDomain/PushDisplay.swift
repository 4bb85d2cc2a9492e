public import EventSourcing

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

// Field numbers are frozen.
extension PushDisplay: PayloadPart {
  private enum Field {
    static let title = PayloadField<String>(1)
    static let subtitle = PayloadField<String>(2)
    static let body = PayloadField<String>(3)
    static let badge = PayloadField<Int>(4)
    static let sound = PayloadField<String>(5)
    static let image = PayloadField<String>(6)
    static let threadID = PayloadField<String>(7)
    static let category = PayloadField<String>(8)
    static let interruptionLevel = PayloadField<String>(9)
    static let isContentAvailable = PayloadField<Bool>(10)
    static let isMutableContent = PayloadField<Bool>(11)
    static let pushType = PayloadField<String>(12)
    static let aps = PayloadField<String>(13)
  }

  public func encode(into writer: inout PayloadWriter) {
    writer.put(Field.title, ifPresent: title)
    writer.put(Field.subtitle, ifPresent: subtitle)
    writer.put(Field.body, ifPresent: body)
    writer.put(Field.badge, ifPresent: badge)
    writer.put(Field.sound, ifPresent: sound)
    writer.put(Field.image, ifPresent: image)
    writer.put(Field.threadID, ifPresent: threadID)
    writer.put(Field.category, ifPresent: category)
    writer.put(Field.interruptionLevel, ifPresent: interruptionLevel)
    writer.put(Field.isContentAvailable, ifTrue: isContentAvailable)
    writer.put(Field.isMutableContent, ifTrue: isMutableContent)
    writer.put(Field.pushType, ifPresent: pushType)
    writer.put(Field.aps, ifPresent: aps)
  }

  public init(payload: inout PayloadReader) throws(PayloadError) {
    self.init()
    let read = try PayloadFields(&payload)
    title = try read[Field.title]
    subtitle = try read[Field.subtitle]
    body = try read[Field.body]
    badge = try read[Field.badge]
    sound = try read[Field.sound]
    image = try read[Field.image]
    threadID = try read[Field.threadID]
    category = try read[Field.category]
    interruptionLevel = try read[Field.interruptionLevel]
    isContentAvailable = try read[Field.isContentAvailable] ?? false
    isMutableContent = try read[Field.isMutableContent] ?? false
    pushType = try read[Field.pushType]
    aps = try read[Field.aps]
  }
}
