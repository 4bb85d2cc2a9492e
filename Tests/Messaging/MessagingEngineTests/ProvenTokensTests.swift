import EventSourcing
import GCMProtocol
import PushDomain
import Testing

@testable import Engine
@testable import EngineRigs
@testable import MessagingEngine

@Suite("Tokens that were proved", .timeLimit(.minutes(1)))
struct ProvenTokensTests {
  @Test("a text that is equal to one by Unicode's rules only is none, before and after that was proved")
  func lookalike() async throws {
    let rig = try await MessagingRig()
    var device = try await rig.device()
    while !device.token.utf8.contains(UInt8(ascii: "K")) { device = try await rig.device() }
    // The Kelvin sign.
    let lookalike = device.token.replacing("K", with: "\u{212A}")
    try #require(lookalike == device.token)
    for _ in 1...2 {
      #expect(try await rig.result(to: lookalike) == .failed(.invalidRegistration))
      try await rig.send(to: device.token)
    }
    try await rig.stop()
  }
}
