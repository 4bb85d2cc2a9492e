public import EventSourcing

/// One push to one device, complete: whatever produced it is not asked again. Spec: GMS 7.2.
///
/// Its `description` leaves out texts and tokens, so that it may stand in a log.
public struct PushMessage: Sendable, Equatable {
  /// Who made it, unique within the server, such as a chat's service id. Pushes of one producer go out in order.
  public let producer: String
  /// 1, 2, 3, … rising within the producer: the queue knows a repetition by it.
  public let number: Int
  /// Dotted name for the look-up of options, such as `chat.newagentmessage`; not sent to the device.
  public let tag: String
  /// The text for display, for providers that display.
  public let alert: String
  /// The message object as JSON text in UTF-8.
  public let content: [UInt8]
  /// The message object without its bulk (`lastTranscript`), for providers with small payloads.
  public let compactContent: [UInt8]?
  /// The service's name, for the look-up of options.
  public let service: String
  public let target: PushAddress
  /// How often it is tried at most; less than one counts as one, and `PushLimits.attemptsMaximum` caps it.
  public let attemptsMaximum: Int
  /// From this moment on it is worthless; nil for never.
  public let expiry: Timestamp?
  /// A newer message of the same producer with the same key replaces this one while it waits.
  public let collapseKey: String?
  public let priority: PushPriority

  public init(
    producer: String, number: Int, tag: String, alert: String, content: [UInt8], compactContent: [UInt8]? = nil,
    service: String, target: PushAddress, attemptsMaximum: Int = 3, expiry: Timestamp? = nil,
    collapseKey: String? = nil, priority: PushPriority = .high
  ) {
    self.producer = producer
    self.number = number
    self.tag = tag
    self.alert = alert
    self.content = content
    self.compactContent = compactContent
    self.service = service
    self.target = target
    self.attemptsMaximum = attemptsMaximum
    self.expiry = expiry
    self.collapseKey = collapseKey
    self.priority = priority
  }

  public var id: PushID { PushID(producer: producer, number: number) }

  /// What it weighs against `PushLimits.contentBytesMaximum`.
  public var contentBytes: Int { content.count + (compactContent?.count ?? 0) + alert.utf8.count }

  /// True once its `expiry` has been reached.
  public func isExpired(at now: Timestamp) -> Bool { expiry.map { $0 <= now } ?? false }
}

extension PushMessage: CustomStringConvertible {
  public var description: String { "push \(number) (\(tag)) to \(target)" }
}

/// Names one push for its whole life: retries and repetitions after a restart carry the same.
public struct PushID: Sendable, Hashable, Codable {
  public let producer: String
  public let number: Int

  public init(producer: String, number: Int) {
    self.producer = producer
    self.number = number
  }
}

/// How much a sleeping device is to be troubled; handed to the provider. The raw values are frozen (journal).
public enum PushPriority: UInt8, Sendable, Codable {
  case normal = 1
  /// For what needs the user now, such as a chat message.
  case high = 2
}
