import CometEngine
import EntityRuntime
import EventSourcing
import JSONEnvelope
import ScriptedClients
import Testing

@testable import Engine
@testable import EngineRigs

@Suite("Extensions of Comet", .timeLimit(.minutes(2)))
struct CometExtensionTests {
  private func run(
    time: ManualTime? = nil, _ configure: (inout CometExtensions) -> Void,
    then body: (EngineRig, ScriptedClient) async throws -> Void
  ) async throws {
    let rig = try await EngineRig(directory: try EngineRig.temporaryDirectory(), time: time) {
      configure(&$0.cometExtensions)
    }
    let client = ScriptedClient(rig, user: "ann")
    try await client.handshake()
    try await body(rig, client)
    // What is under way waits for a clock that stands still.
    await rig.stop(grace: .zero)
  }

  @Test("timesync is answered on each meta channel, to whoever asks")
  func timesync() async throws {
    let time = ManualTime(start: Timestamp(milliseconds: 50_000))
    try await run(time: time) { _ in
    } then: { rig, client in
      let ext = #"{"timesync":{"tc":7}}"#
      let told: JSONValue = ["timesync": ["tc": 7, "ts": 50_000, "p": 0]]
      let subscribed = try await client.ask(
        #"[{"channel":"/meta/subscribe","clientId":"$ID","subscription":"/_genesys","ext":\#(ext)}]"#)
      #expect(subscribed.first?["ext"] == told)
      #expect(try await client.connect(ext: ext).first?["ext"] == told)
      #expect(try await client.connect(advice: #"{"timeout":0}"#).first?["ext"] == nil)
      let poll = try client.poll(ext: ext)
      while await rig.engine.exchangeCounts().values.first != 1 { await Task.yield() }
      // Held: it ends by its timer.
      while !poll.isAnswered {
        time.advance(by: .milliseconds(100))
        rig.engine.tick()
        await Task.yield()
      }
      let held = try #require(try await poll.reply().last?["ext"]?["timesync"])
      #expect(held["tc"] == 7 && held["ts"] == 50_000)
      #expect(try #require(held["p"]?.integer) >= 25_000)
    }
  }

  @Test(
    "a client that does nothing but connect is ended at its next connect once it has done so for too long",
    arguments: [(ActivityWatch.none, false), (.client, true), (.both, true)])
  func activity(watch: ActivityWatch, ends: Bool) async throws {
    let time = ManualTime(start: Timestamp(milliseconds: 0))
    try await run(time: time) {
      $0.activityWatch = watch
      $0.inactivityMillisecondsMaximum = 5_000
    } then: { _, client in
      let now = #"{"timeout":0}"#
      _ = try await client.connect(advice: now)
      time.advance(by: .milliseconds(5_000))
      #expect(try await client.connect(advice: now).first?["advice"]?["reconnect"]?.string == "retry")
      _ = try await client.ask(#"[{"channel":"/meta/subscribe","clientId":"$ID","subscription":"/_genesys"}]"#)
      time.advance(by: .milliseconds(5_000))
      #expect(try await client.connect(advice: now).first?["advice"]?["reconnect"]?.string == "retry")
      time.advance(by: .milliseconds(1))
      let last = try await client.connect(advice: now)
      #expect(last.first?["advice"]?["reconnect"]?.string == (ends ? "none" : "retry"))
      #expect(try await client.connect(advice: now).first?["error"]?.string == (ends ? "402::Unknown client" : nil))
    }
  }
}
