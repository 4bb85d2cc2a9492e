import Foundation
import JSONEnvelope
import ProcessControl
import StandInSupport
import Testing

extension ServerFromOutside {
  /// HTTP/2 as others speak it. Spec: RFC 9113.
  @Suite("HTTP/2", .timeLimit(.minutes(4)), .enabled(if: StandIn.python != nil))
  struct HTTP2Tests {
    @Test("the MUSTs of RFC 9113, each by raw frames", arguments: [true, false])
    func table(_ isTLS: Bool) async throws {
      try await run(isTLS: isTLS) { server in
        let lines = try await tool(
          try ScriptProcess.python(),
          [ScriptProcess.path("Scripts/http2_table.py"), String(server.port)] + (isTLS ? [] : ["--clear"]), server)
        let rows = try lines.map { try JSONValue(parsing: Array($0.utf8)) }
        #expect(rows.count > 90)
        for row in rows { #expect(row["passed"] == true, "\(String(decoding: row.text, as: UTF8.self))") }
        // The server is as it was.
        #expect(try await curl(server, isTLS: isTLS, "/health/live") == "2 200")
      }
    }

    @Test(
      "curl gets the same over both, and nothing in the clear where it is not allowed",
      .enabled(if: hasCurl || isRequired))
    func versions() async throws {
      try await run(isTLS: true) { server in
        for path in ["/health/live", "/openapi.json", "/console/", "/agent/1/me", "/nothing"] {
          let first = try await curl(server, isTLS: true, path)
          let older = try await curl(server, isTLS: true, path, ["--http1.1"])
          #expect(first.split(separator: " ").first == "2" && older.split(separator: " ").first == "1.1", "\(path)")
          #expect(first.split(separator: " ").last == older.split(separator: " ").last, "\(path)")
        }
      }
      try await ServerProcess.run { server in
        let older = try await curl(server, isTLS: false, "/health/live", ["--http1.1"])
        #expect(older == "1.1 200")
        let refused = try await curl(server, isTLS: false, "/health/live")
        #expect(refused != "2 200")
      }
    }

    @Test("pages and the description come compressed to those who ask for it", .enabled(if: hasCurl || isRequired))
    func compressed() async throws {
      try await run(isTLS: true) { server in
        for path in ["/openapi.json", "/client/carillon.js", "/metrics"] {
          let plain = try await size(server, path, "identity")
          let packed = try await size(server, path, "gzip")
          #expect(packed * 2 < plain, "\(path): \(packed) of \(plain)")
        }
      }
    }

    @Test("Node's http2 module sends by FCM v1, many at once on one session", .enabled(if: hasNode || isRequired))
    func node() async throws {
      try await MessagingRig.run { rig in
        let device = try await rig.connectedDevice("phone")
        let authority = try #require(rig.authority)
        let node = try Self.installed(Self.node)
        let lines = try await tool(
          node,
          [
            ScriptProcess.path("Scripts/fcm_send.mjs"), rig.url, MessagingRig.sender, rig.key, authority, device.token,
            "50",
          ], rig.server)
        let answer = try JSONValue(parsing: Array((lines.last ?? "{}").utf8))
        #expect(answer["protocol"] == "h2", "\(lines)")
        guard case .array(let names)? = answer["sent"] else { throw EndToEndFailure("\(lines)") }
        #expect(Set(names.compactMap(\.string)).count == 50)
        var numbers: Set<String> = []
        while numbers.count < 50 {
          if let number = try await device.message()["data"]?["number"]?.string { numbers.insert(number) }
        }
      }
    }

    @Test("h2load keeps a hundred streams busy on each of two connections", .enabled(if: hasLoad || isRequired))
    func load() async throws {
      try await run(isTLS: true) { server in
        let h2load = try Self.installed(Self.h2load)
        let lines = try await tool(
          h2load, ["-n", "5000", "-c", "2", "-m", "100", "https://127.0.0.1:\(server.port)/health/live"], server)
        #expect(lines.contains { $0.contains("5000 succeeded, 0 failed, 0 errored") }, "\(lines)")
      }
    }

    // MARK: Parts

    private static let curlPath = find("curl")
    private static let node = find("node")
    private static let h2load = find("h2load")
    private static var hasCurl: Bool { curlPath != nil }
    private static var hasNode: Bool { node != nil }
    private static var hasLoad: Bool { h2load != nil }

    /// Set where a machine without them is a mistake: `make slow`, and with it the build server.
    private static var isRequired: Bool {
      ProcessInfo.processInfo.environment["CARILLON_CLIENTS_REQUIRED"]?.isEmpty == false
    }

    private static func find(_ program: String) -> String? {
      let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":") + ["/usr/bin"]
      return folders.map { "\($0)/\(program)" }.first { FileManager.default.isExecutableFile(atPath: $0) }
    }

    private static func installed(_ program: String?) throws -> String {
      try #require(program, "nghttp2-client, curl and nodejs are to be installed: make test-environment")
    }

    private func run(isTLS: Bool, _ body: (ServerProcess) async throws -> Void) async throws {
      guard isTLS else { return try await ServerProcess.run(["server": ["http2.cleartext": "true"]], body) }
      let certificate = try SelfSignedCertificate()
      let options = ["tls.certificate": certificate.certificate.path, "tls.key": certificate.key.path]
      try await ServerProcess.run(["server": options], body)
      withExtendedLifetime(certificate) {}
    }

    /// The version and the status of an answer.
    private func curl(
      _ server: ServerProcess, isTLS: Bool, _ path: String, _ options: [String]? = nil
    ) async throws -> String {
      let version = options ?? (isTLS ? ["--http2"] : ["--http2-prior-knowledge"])
      let lines = try await tool(
        try Self.installed(Self.curlPath),
        ["-sk", "-o", "/dev/null", "-w", "%{http_version} %{http_code}\\n"] + version
          + ["\(isTLS ? "https" : "http")://127.0.0.1:\(server.port)\(path)"], server, mayFail: true)
      return lines.last ?? ""
    }

    /// Bytes of an answer's body on the wire.
    private func size(_ server: ServerProcess, _ path: String, _ coding: String) async throws -> Int {
      let lines = try await tool(
        try Self.installed(Self.curlPath),
        [
          "-sk", "-o", "/dev/null", "-w", "%{size_download}\\n", "-H", "Accept-Encoding: \(coding)",
          "https://127.0.0.1:\(server.port)\(path)",
        ], server)
      return try #require(lines.last.flatMap { Int($0) })
    }

    /// What a program prints that is over soon.
    private func tool(
      _ program: String, _ arguments: [String], _ server: ServerProcess, mayFail: Bool = false
    ) async throws -> [String] {
      let log = "\(server.directory)/tool-\(UUID().uuidString).txt"
      let child = try ChildProcess.start(program, arguments, log: log)
      let status = try await child.status(within: .seconds(120))
      let output = try String(contentsOfFile: log, encoding: .utf8)
      if status != 0, !mayFail { Issue.record("\(program) ended with \(status): \(output.suffix(2_000))") }
      return output.split(separator: "\n").map(String.init)
    }
  }
}
