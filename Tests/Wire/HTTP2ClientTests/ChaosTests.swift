import Testing

@testable import HTTP2Client

extension HTTP2Tests {
  @Suite("HTTP/2 origin, server that kills connections now and then")
  struct ChaosTests {
    @Test("each of 10,000 requests has one true outcome", .timeLimit(.minutes(5)), arguments: [1, 7])
    func tenThousand(_ seed: Int) async throws {
      let server = try await FaultyServer(rules: #"{"limit": 30, "chaos": {"seed": \#(seed), "every": 120}}"#)
      let origin = try server.origin { $0.startsWithOneStream = seed == 7 }
      let count = 10_000
      let outcomes = await withTaskGroup(of: [(Int, HTTP2Outcome)].self) { group in
        for worker in 0..<64 {
          group.addTask {
            var mine: [(Int, HTTP2Outcome)] = []
            for number in stride(from: worker, to: count, by: 64) {
              mine.append((number, await origin.send(.push("\(number)"))))
            }
            return mine
          }
        }
        return await group.reduce(into: []) { $0 += $1 }
      }
      #expect(outcomes.count == count)
      let report = try await server.report()
      await origin.shutdown()
      var processed: [String: Bool] = [:]
      for line in server.all { if let id = line.request { processed[id] = line.isProcessed } }
      var kinds: [String: Int] = [:]
      for (number, outcome) in outcomes {
        let truth = processed["\(number)"]
        switch outcome {
        case .answered:
          kinds["answered", default: 0] += 1
          #expect(truth == true, "\(number) was answered")
        case .unprocessed(let reason, let isTransport):
          kinds["unprocessed", default: 0] += 1
          #expect(truth != true, "\(number): \(reason)")
          #expect(!isTransport, "\(number): \(reason)")
        case .unknown: kinds["unknown", default: 0] += 1
        case .unusable, .calm: Issue.record("\(number): \(outcome.summary)")
        }
      }
      print("chaos seed \(seed): \(kinds), connections made \(report.number("made"))")
      #expect(kinds["answered", default: 0] > count * 8 / 10)
      #expect(kinds["unknown", default: 0] > 0)
      #expect(kinds["unprocessed", default: 0] > 0)
      #expect(report.number("made") > 20)
      #expect(!server.all.contains { $0.event == "violation" })
      #expect(origin.statistics == (connections: 0, streams: 0, waiting: 0))
    }
  }
}
