import EventSourcing

/// What is written down before a redaction changes anything: after a crash it is carried out to its end.
struct RedactionPlan: Codable, Equatable {
  var id: String
  var by: String
  var reason: String
  /// Milliseconds since 1970.
  var requestedAt: Int64
  /// The lists of an `ErasureScope`.
  var scope: [String: Set<String>]
  /// Records found when it was planned.
  var records: Int
  /// The journal of the first partition was searched up to here.
  var searchedUpTo: UInt64
  /// Those of the others, in their order; nil where there is only one.
  var othersSearchedUpTo: [UInt64]?

  /// By partition.
  var positions: [UInt64] { [searchedUpTo] + (othersSearchedUpTo ?? []) }
}
