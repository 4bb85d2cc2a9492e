import Foundation
import JSONEnvelope
import ProcessControl
import StandInSupport
import Testing

extension ServerFromOutside {
  /// What stands before a server, and what tries to slip past it.
  @Suite("Behind proxies that speak HTTP/2", .timeLimit(.minutes(2)), .enabled(if: StandIn.python != nil))
  struct ProxyTests {
    @Test("no message is cut so that a request comes out of another one's body or head", arguments: [true, false])
    func smuggling(_ isTLS: Bool) async throws {
      let certificate = try SelfSignedCertificate()
      let options =
        isTLS
        ? ["tls.certificate": certificate.certificate.path, "tls.key": certificate.key.path]
        : ["http2.cleartext": "true"]
      try await ServerProcess.run(["server": options]) { server in
        let rows = try await table(
          "smuggling_table.py", [String(server.port)] + (isTLS ? [] : ["--clear"]), server)
        #expect(rows.count > 120)
      }
      withExtendedLifetime(certificate) {}
    }

    @Test(
      "held polls, streams of events, WebSockets and bodies come through nghttpx and haproxy, and nothing beside them",
      .enabled(if: hasProxies || isRequired))
    func proxies() async throws {
      try #require(Self.hasProxies, "nghttp2-proxy and haproxy are to be installed: make test-environment")
      let certificate = try SelfSignedCertificate()
      try await ServerProcess.run(["server": ["http2.cleartext": "true"]]) { server in
        let rows = try await table(
          "proxy_table.py",
          [
            String(server.port), certificate.certificate.path, certificate.key.path, server.token(), server.directory,
          ], server)
        #expect(rows.count > 500)
      }
      withExtendedLifetime(certificate) {}
    }

    // MARK: Parts

    private static let proxies = ["nghttpx", "haproxy"]
    /// Where Debian has them, whatever a user's path says.
    private static let folders =
      (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":").map(String.init)
      + ["/usr/bin", "/usr/sbin"]

    private static var hasProxies: Bool {
      proxies.allSatisfy { name in
        folders.contains { FileManager.default.isExecutableFile(atPath: "\($0)/\(name)") }
      }
    }

    /// Set where a machine without them is a mistake: `make slow`, and with it the build server.
    private static var isRequired: Bool {
      ProcessInfo.processInfo.environment["CARILLON_CLIENTS_REQUIRED"]?.isEmpty == false
    }

    /// The rows that a script of ours prints, each of which has to have passed.
    private func table(_ script: String, _ arguments: [String], _ server: ServerProcess) async throws -> [JSONValue] {
      let log = "\(server.directory)/\(script).txt"
      let child = try ChildProcess.start(
        try ScriptProcess.python(), [ScriptProcess.path("Scripts/\(script)")] + arguments,
        environment: ["PATH": Self.folders.joined(separator: ":")], log: log)
      let status = try await child.status(within: .seconds(90))
      let output = try String(contentsOfFile: log, encoding: .utf8)
      let rows = output.split(separator: "\n").compactMap { try? JSONValue(parsing: Array($0.utf8)) }
      for row in rows { #expect(row["passed"] == true, "\(String(decoding: row.text, as: UTF8.self))") }
      #expect(status == 0, "\(output.suffix(2_000))")
      return rows
    }
  }
}
