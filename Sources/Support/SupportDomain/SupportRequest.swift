public import EventSourcing

/// A support request: what its requester sees of a ticket, and what agents see of it. Spec: support requests 4, 8.
///
/// ```
///   agent's public comment ─┬─ nobody looks on ───────────────> planned ─> duties ─> queues
///                           └─ open stream: waits for the grace ─┬─ acknowledged: that device is left out
///                                                                └─ alarm ──> planned ─> …
/// ```
/// Whatever is to go out is a duty of the request until a queue, or the storage, has it on the disk.
public struct SupportRequest: Decider, Codable, Equatable {
  public typealias Command = SupportRequestCommand
  public typealias Event = SupportRequestEvent
  public typealias Rejection = SupportRequestRejection
  public typealias Effect = SupportRequestEffect

  /// Nil before it is made, and once everything of its requester's was erased.
  public internal(set) var terms: SupportRequestTerms?
  public internal(set) var status = SupportStatus.new
  public internal(set) var tags: [String] = []
  public internal(set) var fields: [SupportField] = []
  public internal(set) var assignee: Int64?
  /// Public and private, oldest first.
  public internal(set) var comments: [SupportComment] = []
  public internal(set) var createdAt = Timestamp.epoch
  /// When anything changed last.
  public internal(set) var updatedAt = Timestamp.epoch
  /// When anything changed that its requester can see.
  public internal(set) var publicUpdatedAt = Timestamp.epoch
  /// Rises with each change that shows: what an ETag is made of.
  public internal(set) var version = 0
  /// The same for what its requester can see.
  public internal(set) var publicVersion = 0
  /// Up to which comment who has read it; the requester as such has no device.
  public internal(set) var reads: [Read] = []
  /// Notifications that wait for their moment, oldest first.
  public internal(set) var waiting: [WaitingNotice] = []
  /// What is safe nowhere else yet, oldest first.
  public internal(set) var duties: [SupportDuty] = []
  /// The highest number of a duty that was ever given out.
  public internal(set) var highestDuty = 0
  /// Files of comments that were erased, until the storage has dropped them: their tokens.
  public internal(set) var orphans: [String] = []

  public struct Read: Sendable, Equatable, Codable {
    public let device: Int?
    public let comment: Int
  }

  public struct WaitingNotice: Sendable, Equatable, Codable {
    public let comment: Int
    public let at: Timestamp
    /// Devices on whose screens the comment is already.
    public internal(set) var refreshed: [Int] = []
  }

  public init() {}

  public subscript(comment number: Int) -> SupportComment? { comments.first { $0.number == number } }

  /// What its requester may see of the comments.
  public var publicComments: [SupportComment] { comments.filter(\.isPublic) }

  /// Never: its number must not come back.
  public var isFinished: Bool { false }
}
