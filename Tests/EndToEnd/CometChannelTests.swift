import JSONEnvelope
import Testing

extension ServerFromOutside {
  @Suite("Publish and subscribe by clients of somebody else: aiocometd-ng", .timeLimit(.minutes(2)))
  struct CometChannelTests {
    static let options: ServerOptions = [
      "server": ["cometd.timeout": "2400"],
      "channels.news": ["patterns": "/news/**", "subscribe": "anyone", "publish": "anyone"],
    ]

    @Test(
      "one copy of each message, in order, to whoever is subscribed; what is closed is refused",
      arguments: ["long-polling", "websocket"])
    func channels(_ transport: String) async throws {
      try await ServerProcess.run(Self.options) { server in
        // By its name: the client sends no cookies to bare addresses.
        let apps = try ScriptProcess(
          "Scripts/comet_channels.py", ["http://localhost:\(server.port)/genesys/cometd", transport],
          directory: server.directory)
        do {
          #expect(try await apps.event("done") == 203)
          try await apps.finish()
        } catch {
          await apps.kill()
          Issue.record("the client's errors:\n\(apps.errors)")
          throw error
        }
      }
    }
  }
}
