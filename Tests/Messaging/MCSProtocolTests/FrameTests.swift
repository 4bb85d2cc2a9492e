import SwiftProtobuf
import Testing

@testable import MCSProtocol

/// Everything that a decoder makes of bytes, given in pieces.
private func decode(
  _ pieces: [[UInt8]], limits: MCSLimits = MCSLimits()
) -> (stanzas: [MCSStanza], violation: MCSViolation?) {
  var decoder = MCSFrameDecoder(limits: limits)
  var stanzas: [MCSStanza] = []
  for piece in pieces {
    let violation = piece.withUnsafeBytes { bytes -> MCSViolation? in
      var rest = bytes
      do throws(MCSViolation) {
        while let stanza = try decoder.next(in: &rest) { stanzas.append(stanza) }
        return nil
      } catch {
        return error
      }
    }
    if let violation { return (stanzas, violation) }
  }
  return (stanzas, nil)
}

private let conversation: [MCSStanza] = [
  Device.login(received: ["0:1%a", "0:2%b"]), Device.ping(acknowledging: 3), .close(MCSClose()),
  .dataMessage(Device.upstream("m1")), .iq(.selectiveAck(["0:3%c"])), .heartbeatAck(MCSHeartbeatAck()),
  .streamError(.with { $0.type = "x" }), .loginResponse(.with { $0.id = "a" }),
]

private func bytes(_ stanzas: [MCSStanza], version: UInt8 = 41) -> [UInt8] {
  [version] + stanzas.flatMap { $0.frame ?? [] }
}

@Suite("MCS frames")
struct FrameTests {
  @Test("what is encoded decodes to the same", arguments: [41, 38] as [UInt8])
  func roundTrip(version: UInt8) {
    let result = decode([bytes(conversation, version: version)])
    #expect(result.stanzas == conversation)
    #expect(result.violation == nil)
  }

  @Test("wherever the bytes are split, the stanzas are the same")
  func chunks() {
    let all = bytes(conversation)
    for split in 0...all.count {
      #expect(decode([Array(all[..<split]), Array(all[split...])]).stanzas == conversation)
    }
    #expect(decode(all.map { [$0] }).stanzas == conversation)
  }

  @Test("a length of two bytes and more is read")
  func longStanza() {
    var message = Device.upstream("m")
    message.rawBytes = Array(repeating: 7, count: 40_000)
    #expect(decode([bytes([Device.login(), .dataMessage(message)])]).stanzas.last == .dataMessage(message))
  }

  @Test("a frame of length 0 is a stanza without fields")
  func empty() {
    let login = bytes([Device.login()])
    #expect(decode([login + [0, 0, 1, 0, 4, 0]]).stanzas.count == 4)
  }

  @Test(
    "hostile bytes end the connection",
    arguments: [
      ([0], .unknownVersion), ([40], .unknownVersion), ([22, 3, 1], .unknownVersion),
      (Array("GET /".utf8), .unknownVersion),
      ([41, 5], .unknownTag), ([41, 9, 0], .unknownTag), ([41, 255], .unknownTag),
      ([41, 2, 0x80, 0x80, 0x80, 0x80, 0x80], .endlessLength),
      ([41, 2, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF], .endlessLength),
      ([41, 2, 0xFF, 0xFF, 0xFF, 0xFF, 0x7F], .tooLong), ([41, 2, 0x81, 0x80, 0x04], .tooLong),
      // Required fields are missing; a field is cut off; a group that never ends; wire type 7.
      ([41, 2, 0], .malformed), ([41, 0, 1, 0x08], .malformed), ([41, 0, 1, 0x0B], .malformed),
      ([41, 0, 2, 0x0F, 0], .malformed), ([41, 8, 3, 0x1A, 0x7F, 0x41], .malformed),
      // Not UTF-8 where a text belongs.
      ([41, 10, 3, 0x0A, 0x01, 0xFF], .malformed),
    ] as [([UInt8], MCSViolation)])
  func hostile(_ bytes: [UInt8], _ violation: MCSViolation) {
    #expect(decode([bytes]).violation == violation)
    #expect(decode(bytes.map { [$0] }).violation == violation)
  }

  @Test("the first stanza may be as long as a login, the others as long as a stanza")
  func lengths() {
    var limits = MCSLimits()
    limits.loginBytesMaximum = 300
    limits.stanzaBytesMaximum = 100
    let ids = (0..<10).map { "0:1489424367063\($0)" }
    #expect(decode([bytes([Device.login(received: ids)])], limits: limits).violation == nil)
    let second = bytes([Device.login(), .iq(.selectiveAck(ids))])
    #expect(decode([second], limits: limits).violation == .tooLong)
    let tooLong = bytes([Device.login(received: ids + ids)])
    #expect(decode([tooLong], limits: limits).violation == .tooLong)
  }

  @Test("a violation is final")
  func broken() {
    var decoder = MCSFrameDecoder()
    for _ in 0..<2 {
      #expect(throws: MCSViolation.unknownVersion) {
        try [UInt8](repeating: 7, count: 9).withUnsafeBytes {
          var rest = $0
          _ = try decoder.next(in: &rest)
        }
      }
    }
  }

  @Test("random bytes behind a good login do nothing but end it")
  func random() {
    var generator = Linear(state: 41)
    let login = bytes([Device.login()])
    for _ in 0..<2_000 {
      let noise = (0..<Int.random(in: 1...64, using: &generator)).map { _ in
        UInt8.random(in: 0...255, using: &generator)
      }
      #expect(decode([login + noise]).stanzas.first == Device.login())
    }
  }
}

/// The same sequence in every run.
private struct Linear: RandomNumberGenerator {
  var state: UInt64
  mutating func next() -> UInt64 {
    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    return state ^ state >> 31
  }
}
