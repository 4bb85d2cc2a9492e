extension ScaleCurve {
  /// The page of the curve, in Markdown.
  /// - Parameters:
  ///   - conditions: machine, commit and date, in a sentence.
  ///   - command: what made it.
  package func page(conditions: String, command: String) -> String {
    var parts = ["# Scale", "Made by `\(command)`, the plots too. \(conditions)"]
    if !loads.isEmpty { parts += [claim, Self.table(loads)] }
    parts += plots.filter { $0.file != "replay.svg" }.map(Self.image)
    if !replays.isEmpty {
      parts += ["## Replay", Self.table(replays)] + plots.filter { $0.file == "replay.svg" }.map(Self.image)
    }
    return parts.joined(separator: "\n\n") + "\n"
  }

  private var claim: String {
    let sorted = loads.sorted { $0.chats < $1.chats }
    let costs = sorted.map { "\(Measurement("", $0.microseconds, "").text) at \(Self.whole($0.chats))" }
    let growth = growthOfCost.map {
      " The dearest message of the larger half of these points costs \(Measurement.decimal($0, digits: 2)) times the "
        + "cheapest of the smaller half: " + ($0 <= 1.1 ? "it does not grow with the number of sessions." : "it grows.")
    }
    return "What a message costs the server, in µs of processor, at so many chats: " + costs.joined(separator: ", ")
      + "." + (growth ?? "") + (manyChats ?? "")
      + " The rate is of one machine shared by server and generator; with few chats it is bound by the disk, since a chat"
      + " has one message on its way at a time."
  }

  /// Where the rate is the processors', not the disk's.
  private var manyChats: String? {
    let many = loads.filter { $0.chats >= 1_000 }.sorted { $0.chats < $1.chats }
    guard let first = many.first, let last = many.last, first.chats < last.chats else { return nil }
    return " From \(Self.whole(first.chats)) to \(Self.whole(last.chats)) chats it changes by a factor of "
      + "\(Measurement.decimal(last.microseconds / first.microseconds, digits: 2))."
  }

  private static func table(_ loads: [Load]) -> String {
    let rows = loads.map { load in
      let figures = [load.deliveredPerSecond, load.microseconds, load.p99, load.megabytes].map {
        Measurement("", $0, "").text
      }
      return "| \(whole(load.chats)) | \(figures.joined(separator: " | ")) |"
    }
    return """
      | Chats | delivered/s | µs/message | p99 at half, ms | resident, MB |
      |---|---|---|---|---|
      \(rows.joined(separator: "\n"))
      """
  }

  private static func table(_ replays: [Replay]) -> String {
    let rows = replays.map { replay in
      "| \(whole(replay.events)) | \(whole(replay.chats)) | \(Measurement("", replay.eventsPerSecond, "").text)"
        + " | \(Measurement.decimal(replay.secondsToReady, digits: 2)) |"
    }
    return """
      | Events | Chats | events/s, read and applied | s from exec to ready |
      |---|---|---|---|
      \(rows.joined(separator: "\n"))
      """
  }

  private static func image(_ plot: (file: String, plot: Plot)) -> String {
    "![\(plot.plot.title)](plots/\(plot.file))"
  }

  private static func whole(_ number: Int) -> String {
    number < 1_000 ? String(number) : Measurement("", Double(number), "").text
  }
}
