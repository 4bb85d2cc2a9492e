package import Journal

/// Why no checkpoint can be made.
package enum LogObstacle: Error, Equatable, Sendable {
  /// The options `journal.origin` and `journal.checkpoint_key` are not both set, or the tree is not kept.
  case notConfigured
  /// The file of the key is not there, or holds no such key.
  case unusableKey(String)
  /// The journal has no record yet.
  case empty
  /// The tree is still being made.
  case treeBehind
  case tree(TreeError)
  /// The checkpoint cannot be kept.
  case disk(JournalError)
  /// What was signed before speaks of more records than there are: the end of the journal is missing.
  case shorter(signed: UInt64, size: UInt64)
  /// What was signed before is not the beginning of this journal.
  case otherHistory(signed: UInt64)

  /// For metrics.
  var label: String {
    switch self {
    case .notConfigured: "not_configured"
    case .unusableKey: "key"
    case .empty: "empty"
    case .treeBehind: "tree_behind"
    case .tree: "tree"
    case .disk: "disk"
    case .shorter: "shorter"
    case .otherHistory: "other_history"
    }
  }

  /// Somebody has to look at it: waiting does not help.
  var isAlarm: Bool {
    switch self {
    case .shorter, .otherHistory: true
    default: false
    }
  }
}

extension LogObstacle: CustomStringConvertible {
  package var description: String {
    switch self {
    case .notConfigured:
      "the options journal.origin and journal.checkpoint_key are not both set, or journal.tree is off"
    case .unusableKey(let reason): "the file that journal.checkpoint_key names cannot be used: \(reason)"
    case .empty: "the journal has no record yet"
    case .treeBehind: "the tree over the records is still being made"
    case .tree(let error): "\(error)"
    case .disk(let error): "the checkpoint cannot be kept: \(error)"
    case .shorter(let signed, let size):
      "a checkpoint of \(signed) records was signed before, and the journal has \(size): its end is missing, and nothing "
        + "more is signed; put it back, or choose another journal.origin"
    case .otherHistory(let signed):
      "the checkpoint of \(signed) records that was signed before is not of this history, and nothing more is signed: "
        + "find out which of the two is right"
    }
  }
}
