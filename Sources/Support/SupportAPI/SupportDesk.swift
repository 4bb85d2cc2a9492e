/// The two sides of a request: the same resource under two names, by what each may see and do.
enum SupportDesk: CaseIterable {
  /// Requests, as their requesters see them.
  case endUsers
  /// Tickets.
  case agents

  /// What one of them is called in a body.
  var one: StaticString { self == .endUsers ? "request" : "ticket" }
  var many: StaticString { self == .endUsers ? "requests" : "tickets" }
}
