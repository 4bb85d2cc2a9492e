import Bayeux
import EdgeSecurity
import EngineKit
import Testing

@testable import CarillonConfiguration

@Suite("Server settings")
struct ServerSettingsTests {
  private func settings(_ yaml: String) throws -> ServerSettings {
    ServerSettings(try ConfigurationLoader.load(yaml: yaml))
  }

  @Test("an empty configuration gives the documented values")
  func defaults() throws {
    let settings = try settings("")
    #expect(settings.port == 8080)
    #expect(settings.tls == nil)
    #expect(!settings.standby.waits && settings.standby.waitLimit == .seconds(10))
    #expect(settings.journalSegmentBytes == 64 * 1_048_576)
  }

  @Test("values of the file arrive in their types")
  func values() throws {
    let settings = try settings(
      """
      server:
        tls.certificate: chain.pem
        tls.key: key.pem
        shutdown_grace: 1.5
        journal.segment_size: 8 MiB
        cookie_required: true
        standby.wait: true
        standby.wait_limit: 2.5
      """)
    #expect(settings.tls == TLSFiles(certificateChainPath: "chain.pem", privateKeyPath: "key.pem"))
    #expect(settings.shutdownGrace == .milliseconds(1_500))
    #expect(settings.journalSegmentBytes == 8_388_608)
    #expect(settings.isCookieRequired)
    #expect(settings.standby.waits && settings.standby.waitLimit == .milliseconds(2_500))
  }

  @Test("a connect is held shorter than advised", arguments: [(30_000, 25_000), (6_000, 3_000), (1_200, 600)])
  func hold(timeout: Int, hold: Int) throws {
    let loaded = try ConfigurationLoader.load(yaml: "server: { cometd.timeout: \(timeout) }")
    #expect(loaded.sessionSettings.timeoutMilliseconds == timeout)
    #expect(loaded.sessionSettings.holdMilliseconds == hold)
  }
}
