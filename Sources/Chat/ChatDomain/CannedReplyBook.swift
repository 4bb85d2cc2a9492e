public import EventSourcing

/// The canned replies of one owner: of an agent, or of all of them together. They are texts of staff, not of customers.
public struct CannedReplyBook: Decider, Equatable, Encodable {
  public typealias Command = CannedReplyCommand
  public typealias Event = CannedReplyEvent
  public typealias Rejection = CannedReplyRejection
  /// Nobody else has to follow.
  public typealias Effect = Never

  public static let repliesMaximum = 500

  /// In the order in which they were made.
  public internal(set) var replies: [CannedReply] = []

  public init() {}

  public func decide(_ command: CannedReplyCommand, now: Timestamp) throws(CannedReplyRejection) -> [CannedReplyEvent] {
    switch command {
    case .add(let id, let content, let name):
      guard !holds(id) else { throw .taken(content.shortcut) }
      guard replies.count < Self.repliesMaximum else { throw .tooMany(limit: Self.repliesMaximum) }
      try requireFree(content, for: id)
      return [.replySaved(id: id, content, by: name)]
    case .change(let id, let content, let name):
      guard let reply = self[id] else { throw .unknown }
      guard reply.content != content else { return [] }
      try requireFree(content, for: id)
      return [.replySaved(id: id, content, by: name)]
    case .remove(let id, let name):
      guard holds(id) else { throw .unknown }
      return [.replyRemoved(id: id, by: name)]
    }
  }

  /// One text a shortcut in each language, and one beside them that is for all.
  private func requireFree(_ content: CannedReplyContent, for id: String) throws(CannedReplyRejection) {
    let isTaken = replies.contains {
      $0.id != id && $0.content.shortcut == content.shortcut && $0.content.language == content.language
    }
    if isTaken { throw .taken(content.shortcut) }
  }

  public mutating func evolve(_ event: CannedReplyEvent, at time: Timestamp) {
    switch event {
    case .replySaved(let id, let content, let name):
      let reply = CannedReply(id: id, content: content, savedAt: time, savedBy: name)
      if let index = replies.firstIndex(where: { $0.id == id }) {
        replies[index] = reply
      } else {
        replies.append(reply)
      }
    case .replyRemoved(let id, _): replies.removeAll { $0.id == id }
    }
  }

  public func react(to event: CannedReplyEvent) -> [Never] { [] }
  public var outstandingEffects: [Never] { [] }
  public var isFinished: Bool { false }

  /// Nil if there is none, or none any more.
  public subscript(id: String) -> CannedReply? { replies.first { $0.id == id } }

  public func holds(_ id: String) -> Bool { self[id] != nil }
}

public enum CannedReplyCommand: Sendable, Equatable {
  /// - Parameters:
  ///   - id: that nobody has had.
  ///   - by: the name of a token.
  case add(id: String, CannedReplyContent, by: String)
  /// Nothing happens if it is so already.
  case change(id: String, CannedReplyContent, by: String)
  case remove(id: String, by: String)
}

/// Why canned replies are not taken. Each case is something that a client can be told.
public enum CannedReplyRejection: Error, Equatable, Sendable {
  /// There is none of this id, or none of the asker's: 404.
  case unknown
  /// The owner has another one with this shortcut, in the same language: 409.
  case taken(String)
  /// The owner has as many as there may be: 409.
  case tooMany(limit: Int)
  /// Those that all have belong to others than the asker: 403.
  case sharedByOthers
  /// The asker takes no part in chats and has none of their own: 403.
  case ownsNone
  /// A required text is empty: 400.
  case empty(field: String)
  /// A field is longer than its limit in bytes: 400 (413 for the text).
  case tooLong(field: String, limit: Int)
  /// A value that the field does not take: 400.
  case invalid(field: String, reason: String)
}

/// One of them.
public struct CannedReply: Sendable, Equatable, Encodable {
  public let id: String
  public let content: CannedReplyContent
  public let savedAt: Timestamp
  /// The name of a token.
  public let savedBy: String
}

// MARK: State

/// The canned replies of an owner as snapshots hold them. Field numbers are frozen.
extension CannedReplyBook: RestorableState {
  private enum Field {
    static let reply = PayloadField<CannedReply>(1)
  }

  public func encodeState(into writer: inout PayloadWriter) { writer.put(each: Field.reply, replies) }

  public init(state payload: inout PayloadReader) throws(PayloadError) {
    self.init()
    replies = try PayloadFields(&payload).all(Field.reply)
  }

  public var rest: Rest { .asleep(until: nil) }
}

extension CannedReply: PayloadPart {
  private enum Field {
    static let id = PayloadField<String>(1)
    static let content = PayloadField<CannedReplyContent>(2)
    static let savedAt = PayloadField<Timestamp>(3)
    static let savedBy = PayloadField<String>(4)
  }

  public func encode(into writer: inout PayloadWriter) {
    writer.put(Field.id, id)
    writer.put(Field.content, content)
    writer.put(Field.savedAt, savedAt)
    writer.put(Field.savedBy, savedBy)
  }

  public init(payload: inout PayloadReader) throws(PayloadError) {
    let read = try PayloadFields(&payload)
    self.init(
      id: try read.required(Field.id), content: try read.required(Field.content),
      savedAt: try read.required(Field.savedAt), savedBy: try read.required(Field.savedBy))
  }
}
