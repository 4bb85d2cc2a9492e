package import StandbyWire

/// What each file of a data directory is to a backup: the one list, so that none can be forgotten. Whatever writes a new
/// kind of file there has to say here what becomes of it.
package enum DataFile: Sendable, Hashable {
  /// It is copied; standbys copy the same.
  case kept(StandbyPath)
  /// Who writes the journal, and in which epoch: a directory that is restored begins one of its own.
  case epoch
  /// Made anew out of what is copied: the tree, the index of records, sleeping states.
  case derived
  /// A standby's own: how far it is.
  case standby
  /// Empty, to be locked.
  case lock
  /// Worthless unless it is written to its end.
  case unfinished
  /// Set aside for the operator, and read by no start.
  case aside

  private static let locks: Set = ["journal/LOCK", "journal/MAINTENANCE", "tokens.json.lock"]
  private static let standbys: Set = ["journal/STANDBY.json", "journal/FOLLOWED.json"]
  private static let derivedFolders = ["asleep/", "journal/index/", "journal/tree/"]
  private static let unfinishedSuffixes = [
    ".archiving", ".edge.writing", ".new", ".next", ".packing", ".preallocating", ".redacting", ".writing",
  ]

  /// - Parameter path: relative to the data directory, with `/` between its components; nil if nobody has said what it is.
  package init?(_ path: String) {
    if let place = StandbyPath(path) {
      self = .kept(place)
    } else if path == "journal/EPOCH" {
      self = .epoch
    } else if Self.locks.contains(path) {
      self = .lock
    } else if Self.standbys.contains(path) {
      self = .standby
    } else if path.hasPrefix("journal/copy/") || Self.unfinishedSuffixes.contains(where: path.hasSuffix) {
      self = .unfinished
    } else if path.hasPrefix("journal/aside-") || (path.hasPrefix("journal/") && path.hasSuffix(".cut")) {
      self = .aside
    } else if Self.derivedFolders.contains(where: path.hasPrefix) {
      self = .derived
    } else {
      return nil
    }
  }
}
