import JournalFormat
import TestSupport
import Testing

@testable import StandbyWire

private typealias Samples = StandbyWireSamples

@Suite("Messages of a standby's stream")
struct StandbyMessageTests {
  @Test("what a primary says is what a standby hears")
  func roundTrip() {
    let result = Samples.parse([Samples.encoded(Samples.stream)])
    #expect(result.messages == Samples.stream)
    #expect(result.failure == nil)
    #expect(result.pending == 0)
  }

  @Test("wherever the bytes are cut, the messages are the same")
  func cuts() {
    let short = Array(Samples.stream.prefix(6))
    let bytes = Samples.encoded(short)
    for cut in 0...bytes.count {
      #expect(Samples.parse([Array(bytes[..<cut]), Array(bytes[cut...])]).messages == short, "cut at \(cut)")
    }
    #expect(Samples.parse(bytes.map { [$0] }).messages == short)
  }

  @Test("a stream that ends within a message says so, and gives nothing of it")
  func torn() {
    let bytes = Samples.encoded([Samples.stream[0], .changed])
    let result = Samples.parse([Array(bytes.dropLast())])
    #expect(result.messages == [Samples.stream[0]])
    #expect(result.failure == nil)
    #expect(result.pending == 5)
  }

  @Test("no flipped byte goes by unseen, and none lets the parser wait beyond its bounds")
  func flips() {
    let messages = Array(Samples.stream.prefix(3))
    let bytes = Samples.encoded(messages)
    for index in bytes.indices {
      var flipped = bytes
      flipped[index] ^= 0x41
      let result = Samples.parse([flipped])
      #expect(result.messages.count < messages.count, "byte \(index)")
      #expect(messages.starts(with: result.messages), "byte \(index)")
      #expect(result.failure != nil || result.pending > 0, "byte \(index)")
    }
  }

  @Test(
    "what is no message of this version is refused",
    arguments: [
      ([], [0], .unknownMessage(0)),
      ([], [7], .unknownMessage(7)),
      // Kind and length are judged before the rest is there.
      ([], [1, 0xFF, 0xFF, 0x7F], .tooLong),
      ([], [1, 0x80, 0x80, 0x80], .tooLong),
      ([], Samples.frame(1, [2]), .version(2)),
      ([], Samples.frame(5, []), .outOfOrder),
      ([Samples.stream[0]], Samples.encoded([Samples.stream[0]]), .outOfOrder),
      ([Samples.stream[0]], Samples.frame(5, [0]), .malformed),
      ([Samples.stream[0]], Samples.frame(4, []), .malformed),
      // Segments count from 1.
      ([Samples.stream[0]], Samples.frame(4, [0, 1]), .malformed),
      // Bytes without any.
      ([Samples.stream[0]], Samples.frame(2, [1, 0]), .malformed),
      // A number that does not end.
      ([Samples.stream[0]], Samples.frame(3, [UInt8](repeating: 0x80, count: 11)), .malformed),
      // Beyond the end of the longest segment.
      ([Samples.stream[0]], Samples.frame(2, [1, 0x80, 0xE0, 0xFF, 0xFF, 0x0F, 9]), .malformed),
      // Epochs count from 1.
      ([Samples.stream[0]], Samples.frame(3, [1, 0, 0, 0, 0]), .malformed),
      // A path that leads elsewhere.
      ([Samples.stream[0]], Samples.frame(6, [6] + Array("../etc".utf8) + [1, 1, 0x31]), .malformed),
      // A text longer than the payload.
      ([Samples.stream[0]], Samples.frame(6, [60, 0x61]), .malformed),
      // Not UTF-8.
      ([Samples.stream[0]], Samples.frame(6, [1, 0xFF, 1, 1, 0x31]), .malformed),
    ] as [([StandbyMessage], [UInt8], StandbyWireError)])
  func refusals(before: [StandbyMessage], bytes: [UInt8], failure: StandbyWireError) {
    let result = Samples.parse([Samples.encoded(before), bytes])
    #expect(result.messages == before)
    #expect(result.failure == failure)
  }

  /// What is computed with them must not overflow.
  @Test(
    "a number beyond its bounds is refused, wherever it stands",
    arguments: [
      .mark(.init(place: .init(segment: .max, offset: 0), position: 1, timeMilliseconds: 0, epoch: 1)),
      .mark(.init(place: .init(segment: 1 << 62 + 1, offset: 0), position: 1, timeMilliseconds: 0, epoch: 1)),
      .mark(.init(place: Samples.place, position: .max, timeMilliseconds: 0, epoch: 1)),
      .mark(.init(place: Samples.place, position: 1, timeMilliseconds: .min, epoch: 1)),
      .mark(.init(place: Samples.place, position: 1, timeMilliseconds: -1, epoch: 1)),
      .mark(.init(place: Samples.place, position: 1, timeMilliseconds: .max, epoch: 1)),
      .mark(.init(place: Samples.place, position: 1, timeMilliseconds: 1 << 53 + 1, epoch: 1)),
      .bytes(.init(segment: .max, offset: 0), [1]),
      .bytes(.init(segment: 1, offset: .max), [1]),
      .sealed(segment: .max, fileByteCount: 4096, version: "1"),
      .sealed(segment: 1, fileByteCount: .max, version: "1"),
      .sealed(segment: 1, fileByteCount: 4096, version: ""),
    ] as [StandbyMessage])
  func hostileNumbers(message: StandbyMessage) {
    let result = Samples.parse([Samples.encoded([Samples.stream[0], message])])
    #expect(result.messages == [Samples.stream[0]])
    #expect(result.failure == .malformed)
  }

  @Test("a number beyond its bounds in the first message is refused", arguments: [0, 1, 2])
  func hostileHello(place: Int) {
    let hello = StandbyMessage.Hello(
      identity: JournalIdentity(oldestSegment: place == 0 ? .max : 1, oldestID: Samples.id), epoch: 1,
      place: StandbyPlace(segment: place == 1 ? .max : 1, offset: 0), position: place == 2 ? .max : 1)
    #expect(Samples.parse([Samples.encoded([.hello(hello)])]).failure == .malformed)
  }

  @Test("a wrong checksum ends the stream for good")
  func checksum() {
    var parser = StandbyMessageParser()
    parser.append(Samples.encoded([Samples.stream[0]]).dropLast() + [0xEE])
    #expect(throws: StandbyWireError.checksum) { try parser.next() }
    parser.append(Samples.encoded([Samples.stream[0]]))
    #expect(throws: StandbyWireError.checksum) { try parser.next() }
    #expect(parser.pendingByteCount > 0)
  }

  @Test("random bytes behind a good beginning never give a message")
  func noise() {
    var generator = SeededGenerator(seed: 20_261_127)
    for _ in 0..<500 {
      let count = Int.random(in: 1...300, using: &generator)
      let kind = UInt8.random(in: 1...6, using: &generator)
      let noise = [kind] + (0..<count).map { _ in UInt8.random(in: 0...255, using: &generator) }
      let result = Samples.parse([Samples.encoded([Samples.stream[0]]), noise])
      #expect(result.messages == [Samples.stream[0]])
    }
  }
}
