import JSONEnvelope
import Testing

@testable import HTTPEdge

@Suite("The configuration over HTTP", .timeLimit(.minutes(5)))
struct AdminConfigurationTests {
  private static func option(
    _ section: String, _ name: String, _ value: String?, _ origin: ConfiguredOption.Origin, isSecret: Bool = false
  ) -> ConfiguredOption {
    ConfiguredOption(
      section: section, name: name, value: value, origin: origin, place: origin == .builtIn ? nil : "c.yaml:3",
      isSecret: isSecret, effect: .reload, summary: "what it is")
  }

  private func run(_ body: (_ desk: AuditDesk, _ inForce: ConfigurationInForce) async throws -> Void) async throws {
    let inForce = ConfigurationInForce([
      Self.option("server", "port", "8080", .builtIn),
      Self.option("server", "password", "hidden", .file, isSecret: true),
      Self.option("push", "pushEnabled", "comet", .argument), Self.option("chat", "x", nil, .builtIn),
    ])
    try await ServerHarness.run(configure: { $0.inForce = inForce }) { server in
      let admin = try server.tokens.create(name: "ops", role: .admin)
      try await body(AuditDesk(server: server, client: try await server.connect(), admin: admin, chat: ""), inForce)
    }
  }

  @Test("options come by section and name, secrets without their value, and as they are after a reload")
  func list() async throws {
    try await run { desk, inForce in
      let all = try await desk.all("/admin/1/configuration?limit=1")
      #expect(all.map { $0["name"]?.string } == ["x", "pushEnabled", "password", "port"])
      #expect(all[2]["secret"] == true && all[2]["value"] == .null && all[2]["origin"] == "file")
      #expect(all[1]["place"] == "c.yaml:3" && all[3]["place"] == nil && all[3]["value"] == "8080")
      let body = try await desk.call("/admin/1/configuration").body
      #expect(!body.contains("hidden"))
      #expect(try await desk.all("/admin/1/configuration?section=server&origin=file").count == 1)
      inForce.replace([Self.option("server", "port", "8081", .environment)])
      #expect(try await desk.all("/admin/1/configuration").map { $0["value"]?.string } == ["8081"])
    }
  }

  @Test("what is asked for wrongly is refused by name; strangers and agents get nothing")
  func refusals() async throws {
    try await run { desk, _ in
      try await desk.refuses([
        ("/admin/1/configuration?origin=god", "origin"), ("/admin/1/configuration?x=1", "x"),
        ("/admin/1/configuration?limit=0", "limit"),
      ])
      try await desk.isOperatorsOnly(["/admin/1/configuration"])
    }
  }
}
