public import EngineKit
import EventSourcing
public import JSONEnvelope
public import JournalFormat
import TextEncoding

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// One record as one line of JSON.
///
/// `{"position":17,"time":"…","kind":"chat","id":"412-…","sequence":3,"tag":3,"name":"linePosted","event":{…}}`
/// A tag that this version does not know, or a payload that it cannot read, is printed as it lies: `"payload":"<hex>"`,
/// or, where keys are masked, by its size alone: `"payloadBytes":17`.
public struct RecordLine {
  private let catalogue: Catalogue
  private let encoder: JSONEncoder
  /// Nil: keys are shown.
  private let mask: KeyMask?
  /// The first member, where there are several journals.
  private let partition: Int?

  /// - Parameters:
  ///   - mask: nil: keys are shown.
  ///   - partition: in which of several journals the records stand; nil: there is one.
  public init(_ catalogue: Catalogue, mask: KeyMask?, partition: Int? = nil) {
    self.catalogue = catalogue
    self.mask = mask
    self.partition = partition
    encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
  }

  /// The line, with its end.
  public func bytes(of record: borrowing RecordView) -> [UInt8] {
    var line = JSONWriter(capacity: 1_024)
    line.object { write(record, into: &$0) }
    return line.bytes + [UInt8(ascii: "\n")]
  }

  /// The line of a record that stands by itself, without its frame, whose time its own is counted from; with its end.
  public func bytes(ofSingle record: borrowing RecordView) -> [UInt8] {
    var line = JSONWriter(capacity: 1_024)
    line.object { write(record, hasTime: false, into: &$0) }
    return line.bytes + [UInt8(ascii: "\n")]
  }

  /// The members of the line's object.
  public func write(_ record: borrowing RecordView, into line: inout JSONObjectWriter) {
    write(record, hasTime: true, into: &line)
  }

  private func write(_ record: borrowing RecordView, hasTime: Bool, into line: inout JSONObjectWriter) {
    let kind = EntityKind(rawValue: record.kind)
    line.member("partition", ifPresent: partition)
    line.member("position", record.position)
    if hasTime { line.member("time", Timestamp(milliseconds: record.timeMilliseconds).iso8601Milliseconds) }
    line.member("kind", kind.label)
    if record.isRedacted { return line.member("redacted", true) }
    line.member("id", mask?.masked(id: record.keyText, of: kind) ?? record.keyText)
    line.member("sequence", record.sequence)
    line.member("tag", record.tag)
    write(kind, record.tag, record.payload, into: &line)
  }

  private func write(
    _ kind: EntityKind, _ tag: EventTag, _ payload: UnsafeRawBufferPointer, into line: inout JSONObjectWriter
  ) {
    guard let described = catalogue.describe(kind: kind, tag: tag, payload: payload),
      let encoded = try? encoder.encode(described.event), let json = shown(Array(encoded), kind)
    else {
      // What cannot be read cannot be searched for keys either.
      if mask == nil {
        line.member("payload", Hexadecimal.encode(payload))
      } else {
        line.member("payloadBytes", payload.count)
      }
      return
    }
    line.member("name", described.name)
    line.member("event", RawJSON(json))
  }

  private func shown(_ json: [UInt8], _ kind: EntityKind) -> [UInt8]? {
    guard let mask else { return json }
    return try? mask.masked(json, of: kind)
  }
}
