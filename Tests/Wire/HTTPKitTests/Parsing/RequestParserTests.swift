import NIOCore
import TestSupport
import Testing

@testable import HTTPKit

/// NIO's decoder, which stood here before, is the reference.
@Suite("HTTP parser", .timeLimit(.minutes(5)))
struct RequestParserTests {
  @Test("reads what the reference reads, and refuses the rest with it")
  func same() {
    #expect(RequestMessages.same.count > 250)
    for message in RequestMessages.same {
      let bytes = Array(message.utf8)
      let (ours, reference) = (RequestReading.ours([bytes]), RequestReading.reference(bytes))
      #expect(ours.compared(to: reference) == .same, "\(message.debugDescription): \(ours) not \(reference)")
      #expect(ours.flaw == reference.flaw, "\(message.debugDescription)")
    }
  }

  @Test("refuses what can be read in two ways, also where the reference does not", arguments: RequestMessages.stricter)
  func stricter(_ message: String) {
    let bytes = Array(message.utf8)
    let ours = RequestReading.ours([bytes])
    #expect(ours.compared(to: RequestReading.reference(bytes)) == .stricter, "\(ours)")
  }

  @Test("blanks behind a value are none of it", arguments: RequestMessages.blanks)
  func blanks(_ message: String) {
    let bytes = Array(message.utf8)
    let ours = RequestReading.ours([bytes])
    #expect(!ours.isRefused && ours.words.last == "end")
    let trimmed = Array(message.replacing(" \t\r\n", with: "\r\n").utf8)
    #expect(ours.compared(to: RequestReading.reference(trimmed)) == .same)
  }

  @Test("it does not matter how the bytes are cut")
  func cuts() {
    for message in RequestMessages.same + RequestMessages.stricter + RequestMessages.blanks {
      let bytes = Array(message.utf8)
      let whole = RequestReading.ours([bytes])
      for cut in bytes.indices {
        let pieces = [Array(bytes[..<cut]), Array(bytes[cut...])]
        #expect(RequestReading.ours(pieces) == whole, "\(message.debugDescription) at \(cut)")
      }
      #expect(RequestReading.ours(bytes.map { [$0] }) == whole, "\(message.debugDescription) byte by byte")
    }
  }

  @Test("what is damaged is read as the reference reads it, or refused")
  func mutations() {
    var random = SeededGenerator(seed: 15)
    var counts: [RequestReading.Comparison: Int] = [:]
    let messages = RequestMessages.same.map { Array($0.utf8) }
    for _ in 0..<4_000 {
      let bytes = RequestMutation.mutated(messages, &random)
      let ours = RequestReading.ours([bytes])
      var comparison = ours.compared(to: RequestReading.reference(bytes))
      if comparison == .different {
        comparison = ours.compared(to: RequestReading.reference(RequestMutation.withoutBlanks(bytes)))
      }
      #expect(comparison != .different, "\(String(decoding: bytes, as: UTF8.self).debugDescription)")
      counts[comparison, default: 0] += 1
      let cut = Int.random(in: 0...bytes.count, using: &random)
      #expect(RequestReading.ours([Array(bytes[..<cut]), Array(bytes[cut...])]) == ours)
    }
    // It would be easy to refuse everything.
    #expect(counts[.same, default: 0] > 3_900, "\(counts)")
  }

  @Test("what stands behind a request for another protocol is that protocol's")
  func rest() {
    let head = "GET / HTTP/1.1\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n"
    #expect(RequestReading.ours([Array((head + "abc").utf8), Array("def".utf8)]).rest == "abcdef")
    let bytes = [UInt8](repeating: 0, count: RequestReading.headBytesMaximum + 1)
    let flood = RequestReading.ours([Array(head.utf8), bytes])
    #expect(flood.flaw == .malformed && flood.rest.isEmpty)
  }

  @Test("blanks before a value end where a head does")
  func endlessBlanks() {
    let bytes = Array(("GET / HTTP/1.1\r\nA:" + String(repeating: " ", count: 300)).utf8)
    #expect(RequestReading.ours([bytes]).flaw == .headTooLarge)
    #expect(RequestReading.ours(bytes.map { [$0] }).flaw == .headTooLarge)
  }

  @Test("says what it has looked at, and keeps nothing of a request that is over")
  func bytesRead() throws {
    var parser = HTTPRequestParser(headBytesMaximum: 200, fieldsMaximum: 4)
    let message = RequestMessages.chunked("3;a=b\r\nabc\r\n0\r\n\r\n")
    for (index, byte) in message.utf8.enumerated() {
      parser.append(ByteBuffer(bytes: [byte]))
      while try parser.next() != nil {}
      #expect(parser.bytesRead == index + 1)
    }
    #expect(parser.takeRest() == nil)
  }
}
