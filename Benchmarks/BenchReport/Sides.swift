/// What a phase cost both sides: the server, and the load generator, which is a process of its own.
package struct Sides: Sendable, Equatable {
  /// Nil if the server's process is not known.
  package let server: ProcessorUse?
  package let generator: ProcessorUse
  /// Nil if both run where the kernel puts them.
  package let plan: CorePlan?

  package init(server: ProcessorUse?, generator: ProcessorUse, plan: CorePlan?) {
    (self.server, self.generator, self.plan) = (server, generator, plan)
  }

  /// Microseconds of processor for each message, of both, and whether the generator was the limit: `<name>.cpu`,
  /// `.generator.cpu`, `.server.cores` and `.generator.cores`; and `<name>.cpu.relative`, the server's by the generator's:
  /// whatever slows the machine down while it measures slows both.
  /// - Parameters:
  ///   - item: what is counted, such as `message`.
  ///   - count: how many of them the phase had.
  ///   - phase: such as `at the maximum`.
  package func measurements(_ name: String, per item: String, count: Int, _ phase: String) -> [Measurement] {
    func cost(_ use: ProcessorUse) -> Double { use.seconds * 1e6 / Double(max(count, 1)) }
    var results: [Measurement] = []
    if let server {
      results = [
        Measurement("\(name).cpu", cost(server), "µs/\(item)", settings: "server, \(phase), \(place(\.server))"),
        Measurement("\(name).server.cores", server.cores, "cores", settings: "server, \(phase): \(busy(server))"),
      ]
    }
    if let server, generator.seconds > 0 {
      results.append(
        Measurement(
          "\(name).cpu.relative", server.seconds / generator.seconds, Self.relativeUnit,
          settings: "server by load generator, \(phase)"))
    }
    let isLimit = generator.isLimit(processors: plan?.generator.count)
    return results + [
      Measurement(
        "\(name).generator.cpu", cost(generator), "µs/\(item)", settings: "load generator, \(place(\.generator))"),
      Measurement(
        "\(name).generator.cores", generator.cores, "cores",
        settings: "load generator: \(busy(generator)): \(isLimit ? "IT WAS THE LIMIT" : "it was not the limit")"),
    ]
  }

  package static let relativeUnit = "×generator"

  private func place(_ side: KeyPath<CorePlan, [Int]>) -> String {
    plan.map { "on \(CorePlan.text($0[keyPath: side]))" } ?? "on the same processors"
  }

  private func busy(_ use: ProcessorUse) -> String {
    "busiest thread \(use.busiest?.name ?? "unknown") \(Int((use.busiestShare * 100).rounded())) % of one"
  }
}
