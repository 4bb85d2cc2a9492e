import Bayeux
import EdgeSecurity
import Engine
import HTTPEdge
import Testing

@testable import CarillonConfiguration

@Suite("Wiring of the configuration")
struct WiringTests {
  @Test("the schema's built-in values are the modules' own")
  func defaults() throws {
    let loaded = try ConfigurationLoader.load(yaml: "")
    #expect(loaded.edgeLimits == EdgeLimits())
    #expect(loaded.sessionSettings == SessionSettings())
    #expect(loaded.engineLimits == EngineLimits())
    #expect(loaded.edge.allowedOrigins == .none)
    #expect(loaded.edge.strictTransportSeconds == 0)
    #expect(loaded.edge.budgets.settings == BudgetSettings())
    #expect(loaded.edge.tls == nil)
  }

  @Test("budgets that are set arrive where they count")
  func budgets() throws {
    let loaded = try ConfigurationLoader.load(
      yaml: """
        server:
          budget.exempt: [10.0.0.0/8, "fd00::/8"]
          budget.connections: 7
          budget.address.chats: 5
          budget.user.uploads: 0
          limits.stored_seconds: 3600
        """)
    let settings = loaded.edge.budgets.settings
    #expect(settings.exempt.count == 2 && settings.connectionsByAddressMaximum == 7)
    #expect(settings.addressPerMinute[.chats] == 5 && settings.userPerMinute[.uploads] == 0)
    #expect(settings.addressPerMinute[.uploads] == BudgetedAction.uploads.addressPerMinute)
    #expect(loaded.engineLimits.storedSecondsMaximum == 3_600)
    #expect(throws: ConfigurationRefused.self) { try ConfigurationLoader.load(yaml: "server:\n  budget.exempt: here") }
  }

  @Test("values that are set arrive where they count")
  func values() throws {
    let loaded = try ConfigurationLoader.load(
      yaml: """
        server:
          port: 9
          limits.body_bytes: 2 MiB
          limits.idle_seconds: 7
          limits.sessions: 5
          limits.session_queue_messages: 3
          cometd.maxInterval: 1500
          allowed_origins: [https://a.example.test]
        service.a:
          _ttl: 60
        """)
    #expect(loaded.edge.port == 9)
    #expect(loaded.edge.limits.bodyBytesMaximum == 2_097_152)
    #expect(loaded.edge.limits.keepAliveTimeout == .seconds(7))
    #expect(loaded.edge.allowedOrigins == .listed(["https://a.example.test"]))
    #expect(loaded.engineLimits.cometSessionsMaximum == 5)
    #expect(loaded.sessionSettings.queueMessagesMaximum == 3)
    #expect(loaded.sessionSettings.maxIntervalMilliseconds == 1_500)
    #expect(loaded.options.service("a", "_ttl") == "60")
    #expect(loaded.options.service("a", "_client_timeout_notification") == nil)
  }
}
