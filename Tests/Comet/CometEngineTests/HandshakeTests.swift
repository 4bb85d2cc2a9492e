import JSONEnvelope
import ScriptedClients
import Testing

@testable import Engine
@testable import EngineRigs

@Suite("A handshake", .timeLimit(.minutes(2)))
struct HandshakeTests {
  private static let handshake =
    #"{"channel":"/meta/handshake","version":"1.0","supportedConnectionTypes":["long-polling"],"id":"1"}"#

  @Test(
    "company of a handshake is ignored, and the handshake is answered alone",
    arguments: [
      #"{"channel":"/meta/subscribe","clientId":"x","subscription":"/_genesys"}"#,
      #"{"channel":"/meta/connect","clientId":"x","connectionType":"long-polling"}"#, handshake,
      #"{"channel":"/news/a","data":1}"#,
    ])
  func company(other: String) async throws {
    let rig = try await EngineRig(
      directory: try EngineRig.temporaryDirectory(),
      sections: ["channels.news": ["patterns": "/news/*", "subscribe": "anyone", "publish": "anyone"]])
    for messages in ["\(Self.handshake),\(other)", "\(other),\(Self.handshake)"] {
      let replies = try await ScriptedClient(rig, user: nil).ask("[\(messages)]")
      #expect(replies.count == 1)
      #expect(replies[0]["channel"]?.string == "/meta/handshake")
      #expect(replies[0]["successful"] == true)
    }
    #expect(rig.engine.comet.channels.all.isEmpty)
    await rig.stop()
  }

  @Test("gives a clientId of 26 small letters and digits, 134 random bits, each time another")
  func clientIDs() async throws {
    let rig = try await EngineRig(directory: try EngineRig.temporaryDirectory())
    var ids: Set<String> = []
    for _ in 1...200 {
      let client = ScriptedClient(rig, user: nil)
      try await client.handshake()
      let id = try #require(client.clientID)
      #expect(id.wholeMatch(of: /[0-9a-z]{26}/) != nil)
      ids.insert(id)
    }
    #expect(ids.count == 200)
    await rig.stop()
  }
}
