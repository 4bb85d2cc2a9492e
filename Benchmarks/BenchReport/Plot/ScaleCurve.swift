/// What a message, a chat and a start cost, against how many there are: the figures of `carillon-bench curve` as plots
/// and as a page.
package struct ScaleCurve: Sendable {
  /// So many chats at a time.
  package struct Load: Sendable, Equatable {
    package let chats: Int
    package let deliveredPerSecond: Double
    /// Milliseconds, at half of that.
    package let p99: Double
    /// Of the server's processor for a message, at the maximum.
    package let microseconds: Double
    /// Resident once all chats stand, before the load.
    package let megabytes: Double

    package init(chats: Int, deliveredPerSecond: Double, p99: Double, microseconds: Double, megabytes: Double) {
      (self.chats, self.deliveredPerSecond, self.p99) = (chats, deliveredPerSecond, p99)
      (self.microseconds, self.megabytes) = (microseconds, megabytes)
    }
  }

  /// A journal that is read and applied.
  package struct Replay: Sendable, Equatable {
    package let events: Int
    package let chats: Int
    package let eventsPerSecond: Double
    /// From the start of a server to its readiness, without a snapshot.
    package let secondsToReady: Double

    package init(events: Int, chats: Int, eventsPerSecond: Double, secondsToReady: Double) {
      (self.events, self.chats) = (events, chats)
      (self.eventsPerSecond, self.secondsToReady) = (eventsPerSecond, secondsToReady)
    }
  }

  package let loads: [Load]
  package let replays: [Replay]

  package init(loads: [Load], replays: [Replay]) {
    self.loads = loads
    self.replays = replays
  }

  /// By the names of their files. What was not measured has no plot.
  package var plots: [(file: String, plot: Plot)] {
    func plot(_ file: String, _ title: String, _ y: String, _ value: (Load) -> Double) -> (String, Plot) {
      (
        file,
        Plot(title, x: "chats at a time", y: y, [.init("", loads.map { .init(Double($0.chats), value($0)) })])
      )
    }
    var plots: [(String, Plot)] = []
    if !loads.isEmpty {
      plots += [
        plot("cost.svg", "What a message costs the server", "µs of processor for a message", \.microseconds),
        plot("throughput.svg", "Messages delivered", "messages a second", \.deliveredPerSecond),
        plot("latency.svg", "Latency at half of the maximum", "99th percentile, ms", \.p99),
        plot("memory.svg", "Memory of the server with its chats", "resident, MB", \.megabytes),
      ]
    }
    if !replays.isEmpty {
      let plot = Plot(
        "Replay of a journal, read and applied", x: "events in the journal", y: "million events a second",
        Dictionary(grouping: replays, by: \.chats).sorted { $0.key < $1.key }.map { Self.series($0.key, $0.value) })
      plots.append(("replay.svg", plot))
    }
    return plots
  }

  private static func series(_ chats: Int, _ replays: [Replay]) -> Plot.Series {
    let sorted = replays.sorted { $0.events < $1.events }
    let points = sorted.map { Plot.Point(Double($0.events), $0.eventsPerSecond / 1e6) }
    return Plot.Series(Measurement("", Double(chats), "").text + " chats", points)
  }

  /// How many times the cheapest message of the smaller half of the points costs the dearest of the larger half: at most
  /// 1 if the cost does not grow. Nil if there are fewer than two points.
  package var growthOfCost: Double? {
    let sorted = loads.sorted { $0.chats < $1.chats }
    let half = sorted.count / 2
    guard half > 0, let small = sorted[..<half].map(\.microseconds).min(),
      let large = sorted[half...].map(\.microseconds).max(), small > 0
    else { return nil }
    return large / small
  }
}
