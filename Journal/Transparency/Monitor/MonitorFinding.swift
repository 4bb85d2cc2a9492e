/// What a monitor finds wrong with a log, or in its own way.
public enum MonitorFinding: Error, Sendable, Equatable {
  /// Nothing can be said: the reason, without the URL.
  case unreachable(String)
  case badNote(NoteFlaw)
  /// The policy does not trust the checkpoint; with `quorumMissing` the log itself has signed it.
  case refused(EndorsementRefusal)
  /// A log of the policy, but not the one that is followed.
  case otherLog(KeyName)
  /// Two trees of the same size, both signed.
  case fork(size: UInt64)
  /// A tree that is smaller than the one that was signed before.
  case shrunk(from: UInt64, to: UInt64)
  /// The tree that was signed before is not the new one's beginning.
  case inconsistent(from: UInt64, to: UInt64)
  /// A tile that a tree of this size has, but its log does not show.
  case tileMissing(TileAddress)
  case tileCut(TileAddress, byteCount: Int)
  /// The tiles do not lead to the root that was signed: one of them was changed, or is another log's.
  case foreignTiles(size: UInt64)
  /// Neither a larger tree nor a newer cosignature for so long.
  case stalled(seconds: UInt64, size: UInt64)
  case witnessClock(witness: String, secondsAhead: UInt64)

  /// What is told once, however its figures change.
  public enum Kind: String, Sendable, CaseIterable {
    case unreachable, malformed, wrongSignature, unsigned, otherLog, quorumMissing, fork, shrunk, inconsistent
    case tileMissing, tileCut, foreignTiles, stalled, witnessClock

    /// It ends the look at the log early: what else is wrong has not been asked.
    var hidesOthers: Bool {
      switch self {
      case .quorumMissing, .stalled, .witnessClock: false
      default: true
      }
    }
  }

  public var kind: Kind {
    switch self {
    case .unreachable: .unreachable
    case .badNote, .refused(.checkpoint): .malformed
    case .refused(.note): .wrongSignature
    case .refused(.unknownLog), .otherLog: .otherLog
    case .refused(.unsigned): .unsigned
    case .refused(.quorumMissing): .quorumMissing
    case .fork: .fork
    case .shrunk: .shrunk
    case .inconsistent: .inconsistent
    case .tileMissing: .tileMissing
    case .tileCut: .tileCut
    case .foreignTiles: .foreignTiles
    case .stalled: .stalled
    case .witnessClock: .witnessClock
    }
  }

  /// Somebody has to look; a log that cannot be reached may be back the next time, and is a stall if it is not.
  public var isAlarm: Bool { kind != .unreachable }
}

extension MonitorFinding: CustomStringConvertible {
  public var description: String {
    switch self {
    case .unreachable(let reason): "the log cannot be asked: \(reason)"
    case .badNote(let flaw): "not a checkpoint: \(flaw)"
    case .refused(let refusal): "\(refusal)"
    case .otherLog(let origin): "a checkpoint of \(origin), which is not the log that is followed"
    case .fork(let size): "FORK: the log has signed two trees of size \(size)"
    case .shrunk(let from, let to):
      "FORK: the log has signed a tree of size \(from) and shows one of size \(to) now: its end is gone, or another "
        + "instance signs with its key"
    case .inconsistent(let from, let to):
      "FORK: the tree of size \(from) that the log has signed is not the beginning of its tree of size \(to)"
    case .tileMissing(let tile): "\(tile) is not there, so nothing can be proven"
    case .tileCut(let tile, let byteCount):
      "\(tile) has \(byteCount) bytes in place of \(tile.width * TileAddress.hashByteCount): it was cut, or is no tile"
    case .foreignTiles(let size):
      "the tiles do not lead to the root of size \(size) that was signed: one is another log's, or was changed"
    case .stalled(let seconds, let size): "stalled: nothing newer than the tree of size \(size) for \(seconds) s"
    case .witnessClock(let witness, let seconds):
      "the clock of the witness \(witness) is \(seconds) s ahead of ours: one of them is wrong"
    }
  }
}
