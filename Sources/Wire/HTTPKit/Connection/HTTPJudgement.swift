/// What a request's head has brought it.
enum HTTPJudgement {
  case served
  /// Its own box: few connections ever have one.
  indirect case refused(EdgeFailure)

  init(_ refusal: EdgeFailure?) { self = refusal.map { .refused($0) } ?? .served }

  var refusal: EdgeFailure? { if case .refused(let failure) = self { failure } else { nil } }
}
