public import EventSourcing

/// What happened to the canned replies of an owner. Tags and field numbers are frozen.
public enum CannedReplyEvent: Sendable, Equatable, Codable {
  /// It is there, or says something else, from now on.
  case replySaved(id: String, CannedReplyContent, by: String)
  case replyRemoved(id: String, by: String)
}

extension CannedReplyEvent: JournaledEvent {
  private enum Field {
    static let id = PayloadField<String>(1)
    static let content = PayloadField<CannedReplyContent>(2)
    /// Who: the name of a token.
    static let name = PayloadField<String>(3)
  }

  public var tag: EventTag {
    switch self {
    case .replySaved: 1
    case .replyRemoved: 2
    }
  }

  private var name: String {
    switch self {
    case .replySaved(_, _, let name), .replyRemoved(_, let name): name
    }
  }

  public func encode(into writer: inout PayloadWriter) {
    switch self {
    case .replySaved(let id, let content, _):
      writer.put(Field.id, id)
      writer.put(Field.content, content)
    case .replyRemoved(let id, _): writer.put(Field.id, id)
    }
    writer.put(Field.name, name)
  }

  public init(tag: EventTag, payload: inout PayloadReader) throws(PayloadError) {
    let read = try PayloadFields(&payload)
    switch tag {
    case 1:
      self = .replySaved(
        id: try read.required(Field.id), try read.required(Field.content), by: try read.required(Field.name))
    case 2: self = .replyRemoved(id: try read.required(Field.id), by: try read.required(Field.name))
    default: throw .unknownTag(tag)
    }
  }
}
