import ArgumentParser
import BenchReport
import CarillonClient
import NIOCore
import NIOPosix

/// What a server keeps of connections that are gone: its memory while visitors come and leave at a steady pace.
struct ChurnBench: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "churn", abstract: "Megabytes a minute that the server grows by while clients come and leave.",
    discussion: """
      Held polls left by FIN and by reset, WebSockets that hold a connect, idle connections, half-sent heads and event \
      streams, in turn. Fails if the server grows faster than --at-most after the first minute.
      """)

  @OptionGroup var churn: Settings
  @OptionGroup var processors: CoreOptions
  @OptionGroup var report: ReportOptions

  struct Settings: ParsableArguments {
    @Option(help: "How long, the first minute included.") var minutes = 10.0
    @Option(help: "Connections a second.") var rate = 200
    @Option(help: "Seconds that a visitor stays.") var stay = 1.0
    @Option(help: "Megabytes a minute that the server may grow by.") var atMost = 1.0

    func validate() throws {
      guard (1.5...1_440).contains(minutes) else { throw ValidationError("--minutes is 1.5 to 1440") }
      guard (1...5_000).contains(rate) else { throw ValidationError("--rate is 1 to 5000") }
      guard (0...60).contains(stay), stay * Double(rate) <= 15_000 else {
        throw ValidationError("one process holds at most 15,000 visitors")
      }
    }
  }

  func run() async throws {
    var slope = 0.0
    try await Pinning.during(processors.cores) {
      try await report.publish {
        let measured = try await Self.measure(churn)
        slope = measured.slope
        return measured.results
      }
    }
    guard slope <= churn.atMost else {
      throw BenchError("the server grows by \(Measurement.decimal(slope, digits: 2)) MB a minute: something leaks")
    }
  }

  /// After so long the server has made all that it keeps, and its sessions' grace has run out for the first time.
  private static let warmUp = Duration.seconds(60)
  private static let tick = Duration.milliseconds(50)

  private static func measure(_ settings: Settings) async throws -> (results: [Measurement], slope: Double) {
    let server = try await MeasuredServer()
    return try await server.measuring {
      let loop = MultiThreadedEventLoopGroup.singleton.next()
      let (address, token, stay) = (
        server.address, server.agentToken, TimeAmount.milliseconds(Int64(settings.stay * 1000))
      )
      let run = try await loop.submit {
        NIOLoopBound(ChurnRun(address: address, agentToken: token, stay: stay, on: loop), eventLoop: loop)
      }.get()
      Terminal.note("churn: \(settings.rate) connections a second for \(settings.minutes) minutes")
      let begin = ContinuousClock.now
      let end = begin + .seconds(settings.minutes * 60)
      var samples: [(minutes: Double, megabytes: Double)] = []
      var nextSample = begin + warmUp
      var admitted = 0
      while ContinuousClock.now < end {
        let elapsed = ContinuousClock.now - begin
        let due = Int(elapsed / .seconds(1) * Double(settings.rate)) - admitted
        admitted += due
        try await loop.submit { run.value.admit(due) }.get()
        if ContinuousClock.now >= nextSample {
          nextSample += .seconds(1)
          guard let sample = try server.sample() else { throw BenchError("no server process") }
          samples.append((elapsed / .seconds(60), Double(sample.residentBytes) / 1e6))
        }
        try await Task.sleep(for: tick)
      }
      let (begun, failed) = try await loop.submit { (run.value.begun, run.value.failed) }.get()
      guard failed * 100 <= begun else { throw BenchError("\(failed) of \(begun) visitors were not served") }
      let slope = Trend(samples.map { ($0.minutes, $0.megabytes) }).slope
      let text = "\(begun) visitors at \(settings.rate)/s, \(failed) not served; after the first minute"
      return (
        [
          Measurement("churn.growth", slope, "MB/min", settings: PushGoal.atMost(settings.atMost, slope) + ", " + text),
          Measurement("churn.resident", samples.last?.megabytes ?? 0, "MB", settings: "at the end"),
        ], slope
      )
    }
  }
}
