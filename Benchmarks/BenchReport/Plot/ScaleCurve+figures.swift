/// The figures of the curve under names of their own, by which it can be drawn again.
extension ScaleCurve {
  package var measurements: [Measurement] {
    let chats = loads.flatMap { load in
      let (name, settings) = ("scale.chats.\(load.chats)", "\(load.chats) chats over long polling")
      return [
        Measurement("\(name).delivered", load.deliveredPerSecond, "messages/s", settings: settings),
        Measurement("\(name).p99", load.p99, "ms", settings: "\(settings), at half of the maximum"),
        Measurement("\(name).cpu", load.microseconds, "µs/message", settings: "\(settings), server, at the maximum"),
        Measurement("\(name).resident", load.megabytes, "MB", settings: "\(settings), before the load"),
      ]
    }
    let journals = replays.flatMap { replay in
      let (name, settings) = (
        "scale.replay.\(replay.events).of.\(replay.chats)", "\(replay.events) events of \(replay.chats) chats"
      )
      return [
        Measurement(name, replay.eventsPerSecond, "events/s", settings: "\(settings), read and applied"),
        Measurement("\(name).ready", replay.secondsToReady, "s", settings: "\(settings), from exec to ready"),
      ]
    }
    return chats + journals
  }

  /// The curve of figures that it has written; others are passed over.
  package init(_ measurements: [Measurement]) {
    let figures = Dictionary(measurements.map { ($0.name, $0.value) }, uniquingKeysWith: { first, _ in first })
    var (loads, replays) = ([Load](), [Replay]())
    for name in measurements.map(\.name) {
      let words = name.split(separator: ".").map(String.init)
      if words.count == 4, words[..<2] == ["scale", "chats"], words[3] == "delivered", let chats = Int(words[2]),
        let rate = figures[name], let p99 = figures["scale.chats.\(chats).p99"],
        let cost = figures["scale.chats.\(chats).cpu"], let resident = figures["scale.chats.\(chats).resident"]
      {
        loads.append(
          Load(chats: chats, deliveredPerSecond: rate, p99: p99, microseconds: cost, megabytes: resident))
      }
      if words.count == 5, words[..<2] == ["scale", "replay"], words[3] == "of", let events = Int(words[2]),
        let chats = Int(words[4]), let rate = figures[name], let ready = figures[name + ".ready"]
      {
        replays.append(Replay(events: events, chats: chats, eventsPerSecond: rate, secondsToReady: ready))
      }
    }
    self.init(loads: loads, replays: replays)
  }
}
