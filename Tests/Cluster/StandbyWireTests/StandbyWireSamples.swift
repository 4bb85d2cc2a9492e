import JournalFormat

@testable import StandbyWire

/// What a primary may say, once of each kind.
enum StandbyWireSamples {
  static let id = SegmentID(high: 0x0123_4567_89AB_CDEF, low: 0x0000_0000_0000_0001)
  static let identity = JournalIdentity(oldestSegment: 3, oldestID: id)
  static let blob = StandbyPath.blob(String(repeating: "a0", count: 32))
  static let file = StandbyFile(blob, byteCount: 70_000, version: "812-70000-1700000000123456789")
  static let place = StandbyPlace(segment: 7, offset: 8192)

  static let stream: [StandbyMessage] = [
    .hello(StandbyMessage.Hello(identity: identity, epoch: 2, place: place, position: 900)),
    .file(file), .changed,
    .bytes(StandbyPlace(segment: 7, offset: 4096), Array(repeating: 0x5A, count: 4096)),
    .mark(StandbyMessage.Mark(place: place, position: 900, timeMilliseconds: 1_700_000_000_123, epoch: 2)),
    .sealed(segment: 7, fileByteCount: 16384, version: "813-16384-1700000000123456789"),
    .bytes(StandbyPlace(segment: 8, offset: 0), Array(repeating: 1, count: StandbyLimits.pieceByteCountMaximum)),
    .mark(
      StandbyMessage.Mark(
        place: StandbyPlace(segment: 8, offset: 4096), position: StandbyLimits.numberMaximum,
        timeMilliseconds: StandbyLimits.timeMaximumMilliseconds, epoch: .max)),
  ]

  static func encoded(_ messages: [StandbyMessage]) -> [UInt8] {
    var bytes: [UInt8] = []
    for message in messages { message.append(to: &bytes) }
    return bytes
  }

  /// A message of any kind and payload, with the right checksum.
  static func frame(_ kind: UInt8, _ payload: [UInt8]) -> [UInt8] {
    var bytes = [kind]
    Varint.append(UInt64(payload.count), to: &bytes)
    bytes += payload
    let checksum = bytes.withUnsafeBytes { $0.checksum(seed: 0) }
    withUnsafeBytes(of: checksum.littleEndian) { bytes += $0 }
    return bytes
  }

  /// Everything that a parser makes of bytes that come in pieces, and what ended it.
  static func parse(_ pieces: [[UInt8]]) -> (messages: [StandbyMessage], failure: StandbyWireError?, pending: Int) {
    var parser = StandbyMessageParser()
    var messages: [StandbyMessage] = []
    do throws(StandbyWireError) {
      for piece in pieces {
        parser.append(piece)
        while let message = try parser.next() { messages.append(message) }
      }
      return (messages, nil, parser.pendingByteCount)
    } catch {
      return (messages, error, parser.pendingByteCount)
    }
  }
}
