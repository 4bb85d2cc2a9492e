/// What is wrong with a request, for programs. Spec: support requests 8.
package struct EdgeProblem: Equatable {
  /// For programs; nil for what follows from the status.
  package var error: String?
  /// The member that is to blame, with the names of the objects around it: `comment.body`.
  package var field: String?
  package var reason: String?
  /// How many there may be.
  package var limit: Int?

  package init(error: String? = nil, field: String? = nil, reason: String? = nil, limit: Int? = nil) {
    self.error = error
    self.field = field
    self.reason = reason
    self.limit = limit
  }
}
