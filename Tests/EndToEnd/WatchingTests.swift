import Foundation
import JSONEnvelope
import ProcessControl
import Testing

extension ServerFromOutside {
  @Suite("watched")
  struct WatchingTests {
    @Test("metrics on a port of their own: in both forms, and not on the other port any more")
    func metricsPort() async throws {
      try await ServerProcess.run(["server": ["metrics.port": "0"]], agents: []) { server in
        #expect(try await server.wire().get("/health/ready").status == 200)
        #expect(try await server.wire().get("/nowhere/4711").status == 404)
        #expect(try await server.wire().get("/metrics").status == 404)
        let line = try await server.logLine { $0["message"] == "listening for scrapers" }
        let scraper = Wire(port: try #require(line["port"].flatMap { Int($0) }))
        let text = try await scraper.get("/metrics").text
        for part in [
          "# TYPE process_cpu_seconds_total counter\n", "\nprocess_open_fds ", "\nprocess_resident_memory_bytes ",
          "\ncarillon_build_info{", "\n# TYPE carillon_journal_sync_seconds histogram\n",
          "\ncarillon_journal_position ",
          "\ncarillon_journal_disk_free_bytes ", "\ncarillon_pushes{state=\"retrying\"} 0\n",
          "\ncarillon_http_requests_total{method=\"GET\",route=\"/health/ready\",status=\"2xx\"} 1\n",
          "\ncarillon_http_request_duration_seconds_count{method=\"GET\",route=\"/health/ready\"} 1\n",
          "\ncarillon_http_requests_total{method=\"other\",route=\"other\",status=\"4xx\"} 1\n",
        ] { #expect(text.contains(part), "\(part)") }
        #expect(!text.contains("nowhere") && !text.contains("# EOF"))
        let open = try await scraper.ask(
          "GET", "/metrics", headers: [("Accept", "application/openmetrics-text;version=1.0.0,*/*;q=0.1")])
        #expect(open.text.hasSuffix("\n# EOF\n"))
        #expect(open.text.contains("# TYPE carillon_http_requests counter\n"))
        #expect(open.text.contains("# UNIT process_cpu_seconds seconds\n"))
        for (method, path, status) in [("GET", "/health/live", 404), ("POST", "/metrics", 405)] {
          #expect(try await scraper.ask(method, path).status == status, "\(method) \(path)")
        }
      }
    }

    @Test("an access log that is renamed goes on in a new file, once the configuration is read again")
    func accessLog() async throws {
      try await ServerProcess.run(agents: ["anna"], starts: false) { server in
        let (file, former) = (server.directory + "/access.log", server.directory + "/access.log.1")
        try server.configure(["server": ["access_log.file": file]])
        try await server.start()
        var agent = server.wire()
        agent.headers = [("Authorization", "Bearer \(server.token("anna"))")]
        #expect(try await agent.get("/agent/1/chats?state=waiting").status == 200)
        let line = try #require(try await Self.lines(file, 1).first)
        #expect(line["route"]?.string == "/agent/1/chats")
        #expect(line["role"]?.string == "agent")
        #expect(line["status"]?.integer == 200)
        #expect(line["remote"]?.string == "127.0.0.1")
        let written = try String(contentsOfFile: file, encoding: .utf8)
        #expect(!written.contains("waiting") && !written.contains(server.token("anna")))

        try FileManager.default.moveItem(atPath: file, toPath: former)
        let from = server.log.utf8.count
        server.process?.send(signal: SIGHUP)
        _ = try await server.logLine(after: from) { $0["message"] == "configuration read again" }
        #expect(try await agent.get("/health/live").status == 200)
        #expect(try await Self.lines(file, 1).map { $0["route"]?.string } == ["/health/live"])
        #expect(try await Self.lines(former, 1).count == 1)
      }
    }

    @Test("an access log that cannot be opened is said, with an exit code of its own kind")
    func noAccessLog() async throws {
      try await ServerProcess.run(starts: false) { server in
        try server.configure(["server": ["access_log.file": server.directory + "/nowhere/access.log"]])
        let result = try await server.command(["serve", "--config", server.configurationFile, "--port", "0"])
        #expect(result.status == 73)
        #expect(result.output.contains("nowhere/access.log cannot be opened"), "\(result.output)")
      }
    }

    /// The lines of a file, once there are so many.
    private static func lines(_ file: String, _ count: Int) async throws -> [JSONValue] {
      let deadline = ContinuousClock.now + .seconds(10)
      while true {
        let lines = ((try? String(contentsOfFile: file, encoding: .utf8)) ?? "").split(separator: "\n")
        if lines.count >= count { return try lines.map { try JSONValue(parsing: String($0)) } }
        guard ContinuousClock.now < deadline else { throw EndToEndFailure("\(file) has \(lines.count) lines") }
        try await Task.sleep(for: .milliseconds(2))
      }
    }
  }
}
