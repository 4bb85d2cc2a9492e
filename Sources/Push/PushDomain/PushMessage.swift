public import EventSourcing

/// One push to one device, complete: whatever produced it is not asked again. Spec: GMS 7.2.
///
/// Its `description` leaves out texts and tokens, so that it may stand in a log.
public struct PushMessage: Sendable, Equatable {
  /// Who made it, unique within the server, such as a chat's service id. Pushes of one producer go out in order.
  public let producer: String
  /// 1, 2, 3, … within the producer, a greater one for a newer push: the queue knows a repetition by it.
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
  /// Whom it is for: nobody else may get it, should the device change hands. Nil for whoever holds the device.
  public let owner: String?
  /// When the device showed its address last before this push: what a provider says of an earlier time does not count.
  public let registeredAt: Timestamp?
  // The small ones last and together: some hundred thousand may wait.
  public let priority: PushPriority
  /// Now or never: a single attempt, and the provider is not to store it either. Spec: providers 1.2, TTL 0.
  public let isNowOrNever: Bool
  public let form: PushContentForm
  private let extras: Extras?

  /// What the producer itself says about how it is to look.
  public var display: PushDisplay? { extras?.display }
  /// The id that whoever sent it knows it by, where the queue gives the number: a repetition is known by it. See
  /// `PushCommand.submit`.
  public var submissionID: String? { extras?.submissionID }

  /// Seldom there, and large.
  private final class Extras: Sendable, Equatable {
    let display: PushDisplay?
    let submissionID: String?

    init?(_ display: PushDisplay?, _ submissionID: String?) {
      guard display != nil || submissionID != nil else { return nil }
      (self.display, self.submissionID) = (display, submissionID)
    }

    static func == (left: Extras, right: Extras) -> Bool {
      left.display == right.display && left.submissionID == right.submissionID
    }
  }

  public init(
    producer: String, number: Int, tag: String, alert: String, content: [UInt8], compactContent: [UInt8]? = nil,
    service: String, target: PushAddress, attemptsMaximum: Int = 3, expiry: Timestamp? = nil,
    collapseKey: String? = nil, priority: PushPriority = .high, isNowOrNever: Bool = false,
    display: PushDisplay? = nil, form: PushContentForm = .message, owner: String? = nil,
    registeredAt: Timestamp? = nil, submissionID: String? = nil
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
    self.isNowOrNever = isNowOrNever
    extras = Extras(display, submissionID)
    self.form = form
    self.owner = owner
    self.registeredAt = registeredAt
  }

  public var id: PushID { PushID(producer: producer, number: number) }

  /// The same push without an end of its time.
  var withoutExpiry: PushMessage { copy(number: number, expiry: nil) }

  func numbered(_ number: Int) -> PushMessage { copy(number: number, expiry: expiry) }

  private func copy(number: Int, expiry: Timestamp?) -> PushMessage {
    PushMessage(
      producer: producer, number: number, tag: tag, alert: alert, content: content, compactContent: compactContent,
      service: service, target: target, attemptsMaximum: attemptsMaximum, expiry: expiry, collapseKey: collapseKey,
      priority: priority, isNowOrNever: isNowOrNever, display: display, form: form, owner: owner,
      registeredAt: registeredAt, submissionID: submissionID)
  }

  /// What it weighs against `PushLimits.contentBytesMaximum`: all that may be long.
  public var contentBytes: Int {
    content.count + (compactContent?.count ?? 0) + alert.utf8.count + (display?.textBytes ?? 0)
      + target.deviceID.utf8.count + (target.authorization?.utf8.count ?? 0)
  }

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
public enum PushPriority: UInt8, PayloadCode, Codable, Comparable {
  case normal = 1
  /// For what needs the user now, such as a chat message.
  case high = 2

  public static func < (left: PushPriority, right: PushPriority) -> Bool { left.rawValue < right.rawValue }
}

/// Where a provider puts `PushMessage.content`. The raw values are frozen (journal).
public enum PushContentForm: UInt8, PayloadCode, Codable {
  /// As one thing under the key `message`, as GMS does. Spec: GMS 7.3.
  case message = 1
  /// Its members are the app's own keys: they stand beside `aps`, or as `data`.
  case members = 2
  /// As `message`, but it is any text, to be handed on as it is. Spec: GMS 10.2.
  case text = 3
}
