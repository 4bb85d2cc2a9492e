import JSONEnvelope

/// Support requests as agents see them: tickets. Spec: support requests 8.
extension AgentClient {
  public func ticket(_ id: Int64) async throws(ClientError) -> SupportTicket {
    try SupportTicket(try await request(.get, "/api/v2/tickets/\(id).json")["ticket"])
  }

  /// Private comments too.
  public func comments(ofTicket id: Int64) async throws(ClientError) -> [SupportTicketComment] {
    var comments: [SupportTicketComment] = []
    for element in try await request(.get, "/api/v2/tickets/\(id)/comments.json")["comments"]?.array ?? [] {
      comments.append(try SupportTicketComment(element))
    }
    return comments
  }

  /// - Parameter isPublic: false for a note that the requester never sees. A public one is what notifies.
  /// - Returns: the request as it is then.
  @discardableResult
  public func comment(
    _ text: String, onTicket id: Int64, isPublic: Bool = true
  ) async throws(ClientError) -> SupportTicket {
    try SupportTicket(
      try await request(
        .put, "/api/v2/tickets/\(id).json",
        ["ticket": ["comment": ["body": .string(text), "public": .bool(isPublic)]]])["ticket"])
  }

  /// Ends devices of whomever they belong to, as a customer's back end does with those that a push service has called
  /// dead; needs an operator's token. Spec: support requests 7.1.
  public func unregisterDevices(_ identifiers: [String]) async throws(ClientError) {
    _ = try await request(
      .post, "/api/v2/push_notification_devices/destroy_many.json",
      ["push_notification_devices": .array(identifiers.map { .string($0) })])
  }
}
