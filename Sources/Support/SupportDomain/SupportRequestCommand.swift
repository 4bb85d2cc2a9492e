public import EventSourcing

/// A comment that is to be added.
public struct SupportCommentDraft: Sendable, Equatable {
  public var author: Int64
  public var role: SupportRole
  public var isPublic = true
  public var body: String
  public var attachments: [SupportAttachment] = []

  public init(author: Int64, role: SupportRole, body: String) {
    self.author = author
    self.role = role
    self.body = body
  }
}

/// What an update changes; nil leaves a thing as it is.
public struct SupportChange: Sendable, Equatable {
  public var by: SupportRole
  /// The number of who asks; nil if nobody is known.
  public var author: Int64?
  public var comment: SupportCommentDraft?
  public var status: SupportStatus?
  public var tags: [String]?
  /// Merged by their ids.
  public var fields: [SupportField] = []
  /// The number of an agent.
  public var assignee: Int64?

  public init(by role: SupportRole, author: Int64? = nil) {
    by = role
    self.author = author
  }
}

/// What is to come of a public comment of an agent's, read from options and indexes just before. Spec: support requests
/// 4, 6.2.
public struct SupportNotice: Sendable, Equatable {
  /// False if the app has no integration that can be used: nobody is told anything.
  public var isOn = true
  /// The notifications that are to go out, as devices and options stand now; empty if there is no device.
  public var parts: [SupportPartDraft] = []
  /// How long the acknowledgement of an open stream is waited for; zero without such a stream.
  public var grace: Duration = .zero
  /// How long a newer comment may take the place of this one's notification.
  public var coalescing: Duration = .zero

  public init() {}
}

/// One notification: devices that are told the same at once.
public struct SupportPartDraft: Sendable, Equatable, Codable {
  public let integration: SupportIntegration
  /// The ids of the requester's `SupportDevice`s; never empty.
  public let devices: [Int]
  /// The language of its texts; nil for the app's default.
  public let language: String?

  public init(integration: SupportIntegration, devices: [Int], language: String?) {
    self.integration = integration
    self.devices = devices
    self.language = language
  }
}

/// What a request can be told.
public enum SupportRequestCommand: Sendable, Equatable {
  /// - Parameter reports: somebody follows requests from outside (the hand-off to a helpdesk).
  case create(
    SupportRequestTerms, SupportCommentDraft, tags: [String], fields: [SupportField], reports: Bool)
  case change(
    SupportChange, notice: SupportNotice, reports: Bool, limits: SupportRequestLimits = SupportRequestLimits())
  /// Somebody who holds an open stream has shown this comment to its user. Nothing happens if no notification waits.
  case refreshed(comment: Int, device: Int)
  /// The alarm: carries out what is due, or sets the alarm anew if it was early.
  /// - Parameter parts: as devices and options stand now.
  case due(parts: [SupportPartDraft])
  /// - Parameter device: nil for the requester as such.
  case read(upTo: Int, device: Int?)
  /// What was owed under this number is safe elsewhere.
  case handedOver(number: Int)
  /// Everything of the requester's is erased; what is left is that there was a request.
  case erase
  /// What `dropFiles` asked for is done; until then it is asked for again after a restart.
  case filesDropped
  /// States the whole request anew, so that records before this moment can be erased.
  case restate
}

/// The bounds of a request; the engine checks what it can see itself with the same numbers.
public struct SupportRequestLimits: Sendable, Equatable {
  /// Spec: support requests 8 and 10.
  public var commentsMaximum = 5_000
  public var commentBytesMaximum = 65_536
  public var subjectBytesMaximum = 1_024
  public var tagsMaximum = 100
  public var tagBytesMaximum = 128
  public var fieldsMaximum = 100
  public var fieldBytesMaximum = 8_192
  public var attachmentsMaximum = 20
  public var metadataBytesMaximum = 4_096
  /// Of what no queue has yet. Queues take things on within moments, so many are owed only if something is broken.
  public var dutiesMaximum = 1_000

  public init() {}
}

public enum SupportRequestRejection: Error, Equatable, Sendable {
  /// No such request (yet, or any more).
  case unknown
  /// It is closed: nothing can be added.
  case closed
  /// It has as many comments as it may have.
  case tooManyComments(limit: Int)
  /// With those of this change it would have too many.
  case tooManyFields(limit: Int)
  /// What happened before is not safe elsewhere yet; later it will be.
  case tooManyOwed(limit: Int)
  /// An end user changes what only agents may.
  case notAllowed(field: String)
}

/// What has happened to a request, for whoever shows it.
public enum SupportRequestChange: Sendable, Equatable {
  case created
  /// - Parameter number: of the comment.
  case commented(number: Int)
  /// Status, tags, fields or assignee.
  case updated
}

/// What a request wants done outside, once the event that caused it is durable.
public enum SupportRequestEffect: Sendable, Equatable {
  /// The index has to follow, and whoever looks on.
  case changed(SupportRequestChange)
  /// Only the index has to follow.
  case noted
  /// A public comment of an agent's: whoever holds an open stream is shown it.
  case publish(comment: Int)
  case perform(SupportDuty)
  /// Replaces the one alarm.
  case setAlarm(Timestamp)
  case cancelAlarm
  /// These files are nobody's any more: their comments were erased.
  case dropFiles(tokens: [String])
  /// For metrics.
  case suppressed(SupportSuppression, devices: Int)
}

/// Something that a request owes until it is safe elsewhere. Its number is never given out twice, so that a repetition
/// is known as one.
public struct SupportDuty: Sendable, Equatable, Codable {
  public let number: Int
  public let kind: Kind

  public enum Kind: Sendable, Equatable, Codable {
    /// To tell these devices of a comment.
    case notify(comment: Int, SupportPartDraft)
    /// To tell the helpdesk. - Parameter comment: nil for what is none.
    case report(SupportReport, comment: Int?)
    /// To keep the files of a comment: uploads that are in no comment go after an hour.
    case keepFiles(comment: Int)
  }

  public init(number: Int, kind: Kind) {
    self.number = number
    self.kind = kind
  }
}

/// The raw values are frozen (journal).
public enum SupportReport: UInt8, PayloadCode, Codable, CaseIterable {
  case created = 1
  case commented = 2
  case updated = 3
}

/// Why nobody, or a device, is not told of a comment. The raw values are frozen (journal).
public enum SupportSuppression: UInt8, PayloadCode, Codable, CaseIterable {
  /// The requester has no live device that fits.
  case noDevices = 1
  /// The comment was on the screen already.
  case refreshed = 2
  /// A newer comment's notification has taken its place.
  case coalesced = 3
}
