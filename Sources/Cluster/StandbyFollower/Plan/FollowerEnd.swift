public import Journal
public import StandbyWire

/// Why a standby does not go on: nothing that another try would mend. Its directory is what it was.
public enum FollowerEnd: Error, Sendable, Equatable {
  /// The directory is of another journal than the primary's.
  case otherJournal
  /// The primary keeps no segment that the directory has: it may be another journal's, or keep less than is needed.
  case nothingInCommon
  /// The directory holds what the primary has not got.
  case ahead(position: UInt64, primary: UInt64)
  /// The history of the two is another one from some segment on.
  case parted
  /// The primary is of an earlier epoch than one that the directory knows of: another server has taken its place.
  case formerPrimary(epoch: UInt32?, known: UInt32)
  /// The directory was promoted, or was never a standby's: a server of its own writes it.
  case isPrimary
  /// The primary has several journals.
  case severalPartitions
  /// The primary does not take the token.
  case tokenRefused(status: Int)
  /// What answers there has no standbys.
  case noPrimary(status: Int)
  /// The primary speaks another version, or something that is none.
  case unknownWire(StandbyWireError)
  /// What the primary sends is wrong again and again.
  case damaged(String)
  /// What is wrong with the directory, or with its disk.
  case journal(JournalError)
}

extension FollowerEnd: CustomStringConvertible {
  /// One line: what is wrong, and what to do.
  public var description: String {
    switch self {
    case .otherJournal:
      "the directory holds another journal than the primary's: name another directory, or another primary"
    case .nothingInCommon:
      "the primary keeps no segment that the directory has, so that nothing shows that the two are one journal: if they "
        + "are, --new-copy makes a new copy and sets the old one aside; if not, name another directory, or another primary"
    case .ahead(let position, let primary):
      "the directory goes to position \(position) and the primary to \(primary): it has lost its newest records, or was "
        + "put back from a copy; promote the directory, or move it away and make a new one"
    case .parted:
      "the directory and the primary hold two histories of one journal: find out which one is to go on; of the other, "
        + "`carillon journal rejoin` sets aside what the two do not share"
    case .formerPrimary(let epoch, let known):
      "the primary\(epoch.map { " writes in epoch \($0)," } ?? " is relieved,") and the directory knows of epoch \(known): "
        + "another server has taken its place; stop it, and follow that one"
    case .isPrimary:
      "the directory is a primary's: start it with `carillon serve`, or, if another server has taken its place, make it "
        + "a standby's with `carillon journal rejoin`"
    case .severalPartitions:
      "the primary has several partitions, which no standby copies yet: follow one that was made with 1"
    case .tokenRefused(let status):
      "the primary does not take the token (\(status)): make one there with `carillon token create`"
    case .noPrimary(let status):
      "what answers there is no primary (\(status)): it is older than standbys, or another server"
    case .unknownWire(let error): "the primary sends \(error)"
    case .damaged(let text):
      "what the primary sends is wrong again and again: \(text); look at its journal with `carillon journal verify`"
    case .journal(.storageFull): "the disk is full: make room, and start the standby again"
    case .journal(let error): "\(error)"
    }
  }
}
