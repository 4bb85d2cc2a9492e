import Engine
import EventSourcing
import JournalFormat
import TextEncoding
import Transparency

/// What a proof has shown, for a person to read: the first lines are those of `check-proof.py`.
struct ProvenRecord {
  private let position: UInt64
  private let endorsement: Endorsement
  private let record: DisclosedRecord

  /// The last second that is shown as a date; what is beyond is nobody's clock.
  private static let lastSecond: UInt64 = 1 << 37

  /// Nil if the proof shows no record: then it was refused.
  init?(_ proof: LogProof, _ endorsement: Endorsement) {
    guard let record = proof.record else { return nil }
    self.record = record
    self.endorsement = endorsement
    position = proof.index + 1
  }

  func print() {
    for line in lines { Console.print(line) }
  }

  var lines: [String] {
    let checkpoint = endorsement.checkpoint
    var lines = [
      "holds: record \(position) of \(checkpoint.origin), in its tree of \(checkpoint.head.size) records, signed by the log"
    ]
    lines += endorsement.cosigned.map { "seen by \($0.witness): \(Self.date($0.unixSeconds))" }
    lines.append("salt     \(Hexadecimal.encode(record.salt))")
    lines.append("content  \(Hexadecimal.encode(record.body))")
    lines.append("record   \(record.line(position: position) ?? "not one that this version can read")")
    return lines
  }

  private static func date(_ unixSeconds: UInt64) -> String {
    let time = Timestamp(milliseconds: Int64(min(unixSeconds, lastSecond)) * 1_000).iso8601
    return time.replacing("T", with: " ").replacing("Z", with: " UTC")
  }
}

extension DisclosedRecord {
  /// As `journal dump` prints it, but without its time, which is counted from what a proof does not show; nil if this
  /// version cannot read it.
  func line(position: UInt64) -> String? {
    body.withUnsafeBytes { body in
      guard let view = RecordView(body: body, position: position, frameTimeMilliseconds: 0), !view.isRedacted else {
        return nil
      }
      // Whoever has the proof has the record: there is nothing to mask.
      return String(decoding: RecordLine(.carillon, mask: nil).bytes(ofSingle: view).dropLast(), as: UTF8.self)
    }
  }
}
