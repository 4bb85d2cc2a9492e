internal import JournalFormat

/// What a monitor remembers of one log: the largest checkpoint that it has seen to continue the ones before.
///
/// A text file for each origin: the line `carillon-monitor 1`, a line `seen <unix seconds>`, then the checkpoint with all
/// its signatures. So it is its own evidence, as a witness's is.
public struct MonitorRecord: Sendable, Hashable {
  public let origin: KeyName
  public let head: TreeHead
  public let note: SignedNote
  /// When the log had last shown something new, in seconds since 1970: by our clock, or by a witness's that is earlier.
  public let seenUnixSeconds: UInt64

  private static let firstLine = Array("carillon-monitor 1".utf8)
  public static let byteCountMaximum = EvidenceLimits.noteByteCountMaximum + 128

  init(_ checkpoint: LogCheckpoint, note: SignedNote, seenUnixSeconds: UInt64) {
    origin = checkpoint.origin
    head = checkpoint.head
    self.note = note
    self.seenUnixSeconds = seenUnixSeconds
  }

  /// Reads a record; only `LogMonitor.restore` tells whether it is to be trusted.
  public init(_ bytes: [UInt8]) throws(MonitorRecordFlaw) {
    var lines = TextLines(bytes[...])
    guard let first = lines.next(), first.elementsEqual(Self.firstLine),
      let seen = lines.next(after: "seen").flatMap(Decimal.parse)
    else { throw .notARecord }
    let note: SignedNote
    do throws(NoteFlaw) { note = try SignedNote(lines.rest) } catch { throw .note(error) }
    let checkpoint: LogCheckpoint
    do throws(LogCheckpointFlaw) { checkpoint = try LogCheckpoint(text: note.text) } catch { throw .checkpoint(error) }
    self.init(checkpoint, note: note, seenUnixSeconds: seen)
  }

  /// The file's content.
  public var bytes: [UInt8] { Self.firstLine + Array("\nseen \(seenUnixSeconds)\n".utf8) + note.bytes }

  public var fileName: String { Self.fileName(of: origin) }

  public static func fileName(of origin: KeyName) -> String { "\(origin.fileStem).monitored" }
}

/// Why a monitor cannot go on from what it finds.
public enum MonitorRecordFlaw: Error, Sendable, Equatable {
  case notARecord
  case note(NoteFlaw)
  case checkpoint(LogCheckpointFlaw)
  /// Of another log than the one that is followed.
  case otherLog(KeyName)
}

extension MonitorRecordFlaw: CustomStringConvertible {
  public var description: String {
    switch self {
    case .notARecord: "not what a monitor remembers of a log"
    case .note(.unsigned): "not signed by the key of the log that is followed"
    case .note(let flaw): "\(flaw)"
    case .checkpoint(let flaw): "\(flaw)"
    case .otherLog(let origin): "what a monitor remembers of \(origin), which is not the log that is followed"
    }
  }
}
