import Foundation
import JSONEnvelope
import Testing

extension ServerFromOutside {
  /// Spec: Bayeux reference, 14, 15 and 19.
  @Suite(
    "Pages of several origins in an unmodified Chromium", .timeLimit(.minutes(2)),
    .enabled(if: InstalledBrowser.isTried, "no Chromium, or none to drive it")
  )
  struct CometPageTests {
    @Test("by WebSocket, long polling and scripts: all comes once, in order; strangers and thieves get nothing")
    func pages() async throws {
      try await ServerProcess.run(starts: false) { server in
        let pages = try ScriptProcess("Chromium/comet_page.py", [], directory: server.directory)
        do {
          let origins = try await pages.event("origins").array?.compactMap(\.string) ?? []
          try server.configure([
            "server": [
              "allowed_origins": origins.joined(separator: ","), "cometd.multiSessionInterval": "200",
            ],
            "channels.news": ["patterns": "/news/*", "subscribe": "anyone", "publish": "anyone"],
          ])
          try await server.start()
          try pages.send(["server": .integer(Int64(server.port))])
          #expect(try await pages.event("done", within: .seconds(90)) == 30)
          try await pages.finish()
        } catch {
          await pages.end()
          Issue.record("the pages' errors:\n\(pages.errors)")
          throw error
        }
      }
    }
  }
}
