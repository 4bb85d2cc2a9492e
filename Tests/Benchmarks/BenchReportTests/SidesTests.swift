import BenchReport
import Testing

@Suite("Both sides of a measurement")
struct SidesTests {
  @Test(
    "processors are named by numbers and ranges, the server's first",
    arguments: [
      ("0:1", [0], [1]), ("0-1:2,3", [0, 1], [2, 3]), ("3,1:0", [1, 3], [0]), ("5-5:4", [5], [4]),
    ])
  func plan(text: String, server: [Int], generator: [Int]) throws {
    let plan = try #require(CorePlan(text))
    #expect(plan.server == server)
    #expect(plan.generator == generator)
  }

  @Test(
    "what names no two sides, or the same processor for both, is no plan",
    arguments: ["", ":", "0", "0:", ":1", "0:1:2", "0:0", "0-2:2", "1-0:2", "a:b", "0:-1", "0,:1", "0:1024"])
  func noPlan(text: String) { #expect(CorePlan(text) == nil) }

  private func use(_ seconds: Double, loop: Double, other: Double = 0) -> ProcessorUse {
    ProcessorUse(
      seconds: seconds, elapsed: 10,
      before: [1: ThreadTime("main", 5), 2: ThreadTime("loop", 7)],
      after: [1: ThreadTime("main", 5), 2: ThreadTime("loop", 7 + loop), 3: ThreadTime("other", other)])
  }

  @Test("the busiest thread is the one that took most in the phase, not before it")
  func busiest() {
    let six = use(6, loop: 4, other: 2)
    #expect(six.busiest == ThreadTime("loop", 4))
    #expect(six.busiestShare == 0.4)
    #expect(six.cores == 0.6)
    #expect(use(6, loop: 1, other: 5).busiest == ThreadTime("other", 5))
  }

  @Test(
    "a process is the limit whose thread has no room left, or that fills the processors it may run on",
    arguments: [
      (9.0, 9.0, nil, false), (9.1, 9.1, nil, true), (15, 8, nil, false), (15, 8, 2, false), (19, 8, 2, true),
    ]
      as [(Double, Double, Int?, Bool)])
  func limit(seconds: Double, loop: Double, processors: Int?, isLimit: Bool) {
    #expect(use(seconds, loop: loop).isLimit(processors: processors) == isLimit)
  }

  @Test("both are told in microseconds for each message, with the verdict")
  func told() {
    let sides = Sides(server: use(8, loop: 5), generator: use(9.5, loop: 9.5), plan: CorePlan("0:1"))
    let figures = sides.measurements("chat", per: "message", count: 100_000, "at the maximum")
    #expect(
      figures == [
        Measurement("chat.cpu", 80, "µs/message", settings: "server, at the maximum, on processor 0"),
        Measurement(
          "chat.server.cores", 0.8, "cores", settings: "server, at the maximum: busiest thread loop 50 % of one"),
        Measurement(
          "chat.cpu.relative", 8 / 9.5, "×generator", settings: "server by load generator, at the maximum"),
        Measurement("chat.generator.cpu", 95, "µs/message", settings: "load generator, on processor 1"),
        Measurement(
          "chat.generator.cores", 0.95, "cores",
          settings: "load generator: busiest thread loop 95 % of one: IT WAS THE LIMIT"),
      ])
  }

  @Test("of a server whose process is not known the generator is told all the same")
  func unknown() {
    let sides = Sides(server: nil, generator: use(2, loop: 2), plan: nil)
    let figures = sides.measurements("chat", per: "message", count: 100_000, "at the maximum")
    #expect(figures.map(\.name) == ["chat.generator.cpu", "chat.generator.cores"])
    #expect(figures.first?.settings == "load generator, on the same processors")
    #expect(figures.last?.settings.hasSuffix("it was not the limit") == true)
  }
}
