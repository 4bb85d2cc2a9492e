import Engine
import JSONEnvelope
import Journal
import ServerKit
import Testing

@testable import HTTPEdge

@Suite("The server at a glance", .timeLimit(.minutes(5)))
struct AdminOverviewTests {
  @Test("an operator sees how the server is; strangers and agents see nothing")
  func now() async throws {
    try await AuditDesk.run { desk in
      let answer = try await desk.call("/admin/1/overview")
      #expect(answer.status == 200)
      let overview = answer.json
      #expect(overview["ready"] == true && overview["full"] == false && overview["version"] == "0")
      #expect(overview["now"]?["chats"] == 1 && (overview["now"]?["connections"]?.integer ?? 0) >= 1)
      #expect((overview["now"]?["position"]?.integer ?? 0) > 0 && overview["now"]?["deadLetters"] == 0)
      #expect((overview["lastMinute"]?["commits"]?.integer ?? 0) > 0)
      let (median, late) = (
        overview["lastMinute"]?["syncMedianMicroseconds"]?.integer,
        overview["lastMinute"]?["syncP99Microseconds"]?.integer
      )
      #expect((median ?? 0) > 0 && (late ?? 0) >= (median ?? .max))
      #expect(overview["errors"] == [])
      #expect(overview["entities"]?.array?.contains { $0["kind"] == "chat" && $0["count"] == 1 } == true)
      try await desk.refuses([("/admin/1/overview?x=1", "x")])
      try await desk.isOperatorsOnly(["/admin/1/overview"])
    }
  }

  @Test("samples are kept for an hour, each with what came since the one before")
  func samples() async throws {
    try await ServerHarness.run { server in
      let metrics = HTTPMetrics(surfaces: Surface.allCases.map(\.name))
      let recorder = OverviewRecorder(engine: server.engine, metrics: metrics)
      #expect(recorder.lastHour.isEmpty)
      metrics.connections.open()
      for _ in 0..<OverviewRecorder.samplesMaximum { recorder.record() }
      _ = try await server.engine.chats.create(service: "request-chat", data: [])
      metrics.connections.close()
      recorder.record()
      let hour = recorder.lastHour
      #expect(hour.count == OverviewRecorder.samplesMaximum)
      #expect(hour[0].connections == 1 && hour[hour.count - 1].connections == 0)
      let (last, before) = (hour[hour.count - 1].glance, hour[hour.count - 2].glance)
      #expect(last.commits.since(before.commits).count >= 1 && last.position > before.position)
    }
  }
}
