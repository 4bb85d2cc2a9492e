import ArgumentParser
import BenchReport

/// On which processors both sides run.
struct CoreOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Processors of the server and of the load generator, apart, such as 0:1 or 0-1:2,3.",
      discussion: "Without it both run where the kernel puts them.", valueName: "server:generator"),
    transform: { text in
      guard let plan = CorePlan(text) else { throw ValidationError("'\(text)' does not name two sides, as 0:1 does") }
      return plan
    })
  var cores: CorePlan?
}
