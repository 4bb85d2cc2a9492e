import Engine
import EventSourcing
import JSONEnvelope
import JournalFormat

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
struct RecordLine {
  private let encoder: JSONEncoder
  private var writer = JSONWriter(capacity: 1_024)
  /// Nil: keys are shown.
  private let mask: KeyMask?

  init(mask: KeyMask?) {
    self.mask = mask
    encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
  }

  mutating func bytes(of record: borrowing RecordView) -> [UInt8] {
    let kind = EntityKind(rawValue: record.kind)
    writer.removeAll()
    writer.beginObject()
    writer.key("position")
    writer.integer(record.position)
    writer.key("time")
    writer.string(Timestamp(milliseconds: record.timeMilliseconds).iso8601Milliseconds)
    writer.key("kind")
    writer.string(kind.label)
    if record.isRedacted {
      writer.key("redacted")
      writer.bool(true)
    } else {
      writer.key("id")
      writer.string(mask?.masked(id: record.keyText, of: kind) ?? record.keyText)
      writer.key("sequence")
      writer.integer(record.sequence)
      writer.key("tag")
      writer.integer(record.tag)
      writeEvent(kind, record.tag, record.payload)
    }
    writer.endObject()
    return writer.bytes + [UInt8(ascii: "\n")]
  }

  private mutating func writeEvent(_ kind: EntityKind, _ tag: EventTag, _ payload: UnsafeRawBufferPointer) {
    guard let described = Catalogue.carillon.describe(kind: kind, tag: tag, payload: payload),
      let encoded = try? encoder.encode(described.event), let json = shown(Array(encoded), kind)
    else {
      // What cannot be read cannot be searched for keys either.
      writer.key(mask == nil ? "payload" : "payloadBytes")
      if mask == nil { writer.string(Self.hexadecimal(payload)) } else { writer.integer(payload.count) }
      return
    }
    writer.key("name")
    writer.string(described.name)
    writer.key("event")
    writer.raw(json)
  }

  private func shown(_ json: [UInt8], _ kind: EntityKind) -> [UInt8]? {
    guard let mask else { return json }
    return try? mask.masked(json, of: kind)
  }

  static func hexadecimal(_ bytes: UnsafeRawBufferPointer) -> String {
    let digits = Array("0123456789abcdef".utf8)
    var text: [UInt8] = []
    text.reserveCapacity(bytes.count * 2)
    for byte in bytes {
      text.append(digits[Int(byte >> 4)])
      text.append(digits[Int(byte & 15)])
    }
    return String(decoding: text, as: UTF8.self)
  }
}
