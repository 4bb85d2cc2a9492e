import JSONEnvelope

/// A support request, as its requester or an agent sees it.
public struct SupportTicket: Sendable, Equatable {
  public let id: Int64
  /// `new`, `open`, `pending`, `hold`, `solved` or `closed`.
  public let status: String
  public let subject: String
  public let updatedAt: String
  /// Those that the asker can see; nil where the server does not say.
  public let commentCount: Int?

  init(_ value: JSONValue?) throws(ClientError) {
    guard let value, let id = value["id"]?.integer, let status = value["status"]?.string else {
      throw .malformedResponse("request without id or status")
    }
    self.id = Int64(id)
    self.status = status
    subject = value["subject"]?.string ?? ""
    updatedAt = value["updated_at"]?.string ?? ""
    commentCount = value["comment_count"]?.integer
  }
}

/// One comment of a support request.
public struct SupportTicketComment: Sendable, Equatable {
  public let id: Int64
  public let authorID: Int64
  public let text: String
  public let isPublic: Bool
  /// ISO 8601.
  public let createdAt: String

  init(_ value: JSONValue) throws(ClientError) {
    guard let id = value["id"]?.integer, let text = value["body"]?.string else {
      throw .malformedResponse("comment without id or body")
    }
    self.id = Int64(id)
    self.text = text
    authorID = Int64(value["author_id"]?.integer ?? 0)
    isPublic = value["public"]?.bool ?? true
    createdAt = value["created_at"]?.string ?? ""
  }
}

/// A live event: an agent has commented on a request. Spec: support requests 6.2.
public struct SupportEvent: Sendable, Equatable {
  public let request: Int64
  public let comment: Int64

  /// Nil for a message that is none.
  init?(_ message: CometMessage) {
    guard message.channel.hasPrefix(SupportStream.channels), message.data?["type"]?.string == "request.comment",
      let request = message.data?["request_id"]?.lenientInteger,
      let comment = message.data?["comment_id"]?.lenientInteger
    else { return nil }
    self.request = Int64(request)
    self.comment = Int64(comment)
  }
}
