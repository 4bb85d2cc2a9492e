import Foundation
import ProcessControl
import Testing
import Transparency

extension EvidenceCommands {
  @Suite("A server's log, its witnesses and its monitor, each a process", .timeLimit(.minutes(5)))
  struct LogProcessTests {
    @Test("the log goes on across a kill; of its copy that goes on too, witnesses and monitor want nothing")
    func fork() async throws {
      let world = try await LoggedServer.make()
      let (first, url) = try await world.serve("data", "serve1")
      try await world.write(5, to: url)
      let early = try await world.checkpoint(url, beyond: 0)
      #expect(early.cosigned.map(\.witness) == ["w1", "w2"])
      #expect(try await world.monitor(url).status == 0)
      first.send(signal: SIGKILL)
      _ = try await first.wait(atMost: .seconds(20))
      try FileManager.default.copyItem(atPath: world.tool.path("data"), toPath: world.tool.path("copy"))

      let (second, again) = try await world.serve("data", "serve2")
      try await world.write(5, to: again)
      let late = try await world.checkpoint(again, beyond: early.checkpoint.head.size)
      let seen = try await world.monitor(again)
      #expect(seen.status == 0, "\(seen.errors)")
      second.send(signal: SIGTERM)
      #expect(try await second.wait(atMost: .seconds(20)) == 0)

      // The copy shows what no witness has seen.
      let (third, other) = try await world.serve("copy", "serve3", quorum: 0)
      try await world.write(40, to: other)
      let forked = try await world.checkpoint(other, beyond: late.checkpoint.head.size, policy: "trusting")
      #expect(forked.cosigned.isEmpty)
      let alarm = try await world.monitor(other, policy: "trusting")
      #expect(alarm.status == 87 && alarm.errors.contains("alarm:"), "\(alarm.status) \(alarm.errors)")
      for number in 1...2 {
        let said = { world.tool.read("werr\(number)") }
        while !said().contains("ALARM: a signed checkpoint came with a proof that does not hold") {
          try await Task.sleep(for: .milliseconds(50))
        }
      }
      while !world.tool.read("serve3").contains("the history was changed") {
        try await Task.sleep(for: .milliseconds(50))
      }
      third.send(signal: SIGTERM)
      #expect(try await third.wait(atMost: .seconds(20)) == 0)
    }
  }
}
