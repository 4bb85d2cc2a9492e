internal import JournalFormat

/// What a witness remembers of one log: the largest checkpoint that it has cosigned.
///
/// A text file for each origin: the line `carillon-witness 1`, then the checkpoint as it was signed and cosigned. So it
/// is its own evidence: a damaged one is noticed, and who holds a fork against it has both halves.
public struct WitnessRecord: Sendable, Hashable {
  public let origin: KeyName
  public let head: TreeHead
  public let note: SignedNote

  private static let firstLine = Array("carillon-witness 1".utf8)
  public static let byteCountMaximum = EvidenceLimits.noteByteCountMaximum + 64

  init(_ checkpoint: LogCheckpoint, note: SignedNote) {
    origin = checkpoint.origin
    head = checkpoint.head
    self.note = note
  }

  /// Reads a record; only `Witness.restore` tells whether it is to be trusted.
  public init(_ bytes: [UInt8]) throws(WitnessRecordFlaw) {
    var lines = TextLines(bytes[...])
    guard let first = lines.next(), first.elementsEqual(Self.firstLine) else { throw .notARecord }
    do throws(NoteFlaw) { note = try SignedNote(lines.rest) } catch { throw .note(error) }
    do throws(LogCheckpointFlaw) {
      let checkpoint = try LogCheckpoint(text: note.text)
      origin = checkpoint.origin
      head = checkpoint.head
    } catch {
      throw .checkpoint(error)
    }
  }

  /// The file's content.
  public var bytes: [UInt8] { Self.firstLine + [lineFeed] + note.bytes }

  public var fileName: String { Self.fileName(of: origin) }

  public static func fileName(of origin: KeyName) -> String { "\(origin.fileStem).witnessed" }
}

/// Why a witness cannot go on from what it finds.
public enum WitnessRecordFlaw: Error, Sendable, Equatable {
  case notARecord
  /// Damaged, or not cosigned by this witness's key.
  case note(NoteFlaw)
  case checkpoint(LogCheckpointFlaw)
  /// A log that the witness was not told of.
  case unknownLog(KeyName)
}

extension WitnessRecordFlaw: CustomStringConvertible {
  public var description: String {
    switch self {
    case .notARecord: "not what a witness remembers of a log"
    case .note(.unsigned): "remembered by another witness: its key has not cosigned it"
    case .note(let flaw): "\(flaw)"
    case .checkpoint(let flaw): "\(flaw)"
    case .unknownLog(let origin): "remembers \(origin), which is not among the logs to witness"
    }
  }
}
