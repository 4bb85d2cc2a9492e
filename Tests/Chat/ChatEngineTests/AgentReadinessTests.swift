import Testing

@testable import ChatEngine

@Suite("What agents may be ready for")
struct AgentReadinessTests {
  @Test(
    "is what all serve who may come in as the agent",
    arguments: [
      (.away, [], true), (.away, [["a"]], true),
      (.ready(for: nil), [], false), (.ready(for: []), [], false), (.ready(for: ["a"]), [], false),
      (.ready(for: nil), [nil], true), (.ready(for: nil), [["a"]], false), (.ready(for: nil), [nil, ["a"]], false),
      (.ready(for: ["a"]), [nil], true), (.ready(for: ["a"]), [["a", "b"]], true), (.ready(for: []), [["a"]], true),
      (.ready(for: ["a", "b"]), [["a"]], false), (.ready(for: ["a"]), [["b"]], false),
      (.ready(for: ["a"]), [["a"], ["b"]], false), (.ready(for: ["a"]), [nil, ["a", "b"]], true),
    ] as [(AgentReadiness, [Set<String>?], Bool)])
  func covered(readiness: AgentReadiness, holders: [Set<String>?], isCovered: Bool) {
    #expect(readiness.isCovered(by: holders.map { AgentViewer(id: "k", services: $0) }) == isCovered)
  }
}
