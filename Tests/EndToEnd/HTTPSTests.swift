import Foundation
import JSONEnvelope
import ProcessControl
import StandInSupport
import Testing

extension ServerFromOutside {
  /// The port as clients, browsers and operators find it.
  @Suite("The port that speaks TLS", .timeLimit(.minutes(2)), .enabled(if: StandIn.python != nil))
  struct HTTPSTests {
    @Test("browsers are told to insist on it; a renewed certificate is shown after SIGHUP, and its end is a metric")
    func renewed() async throws {
      let files = FileManager.default.temporaryDirectory.appendingPathComponent("carillon-\(UUID().uuidString)").path
      try FileManager.default.createDirectory(atPath: files, withIntermediateDirectories: true)
      defer { try? FileManager.default.removeItem(atPath: files) }
      try await renew(files)
      let options = [
        "tls.certificate": files + "/server.pem", "tls.key": files + "/server.key", "hsts_seconds": "600",
      ]
      try await ServerProcess.run(["server": options]) { server in
        let first = try await look(server, "/health/live", log: files)
        #expect(first["status"]?.integer == 200)
        for path in ["/health/live", "/genesys/nothing"] {
          let fields = try await look(server, path, log: files)["headers"]
          #expect(fields?["strict-transport-security"]?.string == "max-age=600", "\(path)")
          #expect(fields?["x-content-type-options"]?.string == "nosniff", "\(path)")
        }
        // The first look comes with the start or a second later.
        var ends: [Substring] = []
        while ends.isEmpty {
          ends = try await metrics(server, log: files).filter {
            $0.hasPrefix("carillon_certificate_end_timestamp_seconds{")
          }
        }
        // The one port that has a certificate; it is made for thirty days.
        #expect(ends.count == 1)
        let end = ends.first?.split(separator: " ").last.flatMap { Double($0) } ?? 0
        #expect(abs(end - Date().timeIntervalSince1970 - 30 * 86_400) < 86_400, "\(ends)")

        try await renew(files)
        server.process?.send(signal: SIGHUP)
        _ = try await server.logLine { $0["message"]?.contains("certificate read again") == true }
        let second = try await look(server, "/health/live", log: files)
        #expect(second["status"]?.integer == 200 && second["certificate"] != first["certificate"])
      }
    }

    @Test("wrong tokens are counted by their reason, and are one line in the log")
    func wrongTokens() async throws {
      try await ServerProcess.run { server in
        for number in 0..<5 {
          let guesser = Wire(port: server.port, headers: [("Authorization", "Bearer car_\(number)")])
          #expect(try await guesser.get("/agent/1/me").status == 401)
        }
        let text = try await server.wire().get("/metrics").text
        #expect(text.contains(#"carillon_security_refusals_total{reason="wrong_token"} 5"#), "\(text.suffix(2_000))")
        #expect(server.log.split(separator: "\n").filter { $0.contains("wrong_token") }.count == 1)
      }
    }

    private func renew(_ directory: String) async throws {
      let maker = try ChildProcess.start(
        try ScriptProcess.python(), [ScriptProcess.path("Scripts/gcm_certificate.py"), directory],
        log: directory + "/certificate.txt")
      guard try await maker.status() == 0 else { throw EndToEndFailure("no certificate was made") }
    }

    private func look(_ server: ServerProcess, _ path: String, log directory: String) async throws -> JSONValue {
      let log = directory + "/look-\(UUID().uuidString).txt"
      let child = try ChildProcess.start(
        try ScriptProcess.python(), [ScriptProcess.path("Scripts/https_look.py"), String(server.port), path], log: log)
      let status = try await child.status()
      let output = try String(contentsOfFile: log, encoding: .utf8)
      guard status == 0 else { throw EndToEndFailure(output) }
      return try JSONValue(parsing: Array(output.utf8))
    }

    private func metrics(_ server: ServerProcess, log directory: String) async throws -> [Substring] {
      try await look(server, "/metrics", log: directory)["body"]?.string?.split(separator: "\n") ?? []
    }
  }
}
