package import EdgeSecurity
import HTTPTypes

extension EdgeFailure {
  package init(_ refusal: StrangerBudgets.Refusal) {
    self.init(
      .tooManyRequests, "Too many \(refusal.action.summary) in so short a time", exception: "LimitException")
    retryAfter = refusal.retryAfterSeconds
  }

  static let tooManyConnections: EdgeFailure = {
    var failure = EdgeFailure(
      .tooManyRequests, "There are too many connections from this address", exception: "LimitException")
    failure.retryAfter = EdgeLimits.retryAfterSeconds
    return failure
  }()
}
