import BenchReport
import JSONEnvelope

/// The figures of a soak as a whole.
struct SoakResults {
  let settings: SoakSettings
  let tally: SoakTally
  let providers: FailingProviders.Counts
  let rate: Double
  let outcomes: [(name: String, count: Int)]
  let growth: [(life: Int, perMinute: Double)]
  let base: OpenDescriptors
  let left: OpenDescriptors
  /// As `journal verify` gives it.
  let journal: JSONValue

  var measurements: [Measurement] {
    let counts = tally.counts
    let how = "\(settings.chats) customers, \(Int(rate)) messages/s, \(settings.minutes) minutes, seed \(settings.seed)"
    let pushes = outcomes.map { "\($0.count) \($0.name)" }.joined(separator: ", ")
    return [
      Measurement("soak.violations", Double(tally.violationCount), "wrong", settings: how),
      Measurement(
        "soak.acknowledged", Double(counts.acknowledged), "messages",
        settings: "all of them came once, in order; \(counts.doubted) more were never answered"),
      Measurement(
        "soak.delivered", Double(counts.delivered), "messages",
        settings: "in \(counts.chats) chats; \(counts.repeats) events came once more after a loss; \(counts.absences) "
          + "absences, \(counts.cuts) radios lost, \(counts.newSessions) sessions made anew, \(counts.abandoned) chats "
          + "given up as they began"),
      Measurement(
        "soak.p99", tally.latency(99), "ms", settings: "of those whose customer was there, restarts included"),
      Measurement(
        "soak.pushes", Double(outcomes.reduce(0) { $0 + $1.count }), "pushes",
        settings: "each with one end: \(pushes); \(providers.serverErrors) answers were 500, \(providers.tooMany) 429, "
          + "\(providers.gone) 410, \(providers.silent) none"),
      Measurement("soak.erased", Double(counts.erased), "people", settings: "nothing of them is in the files"),
      Measurement("soak.snapshots", Double(counts.snapshots), "snapshots"),
      Measurement(
        "soak.records", fact("records"), "records",
        settings: "verified; \(Int(fact("redactedRecords"))) of them redacted, in \(Int(fact("segments"))) segments, "
          + "\(Int(fact("archivedSegments"))) archived, \(Int(fact("packedSegments"))) packed"),
      Measurement(
        "soak.visitors", Double(counts.visitors), "visitors",
        settings: "\(counts.visitorsFailed) not served, when the server went away"),
      Measurement(
        "soak.descriptors", Double(left.count), "descriptors",
        settings: "once all have left, \(left.files) of them files; \(base.count) before, \(base.files) of them files"),
    ]
      + growth.map {
        Measurement(
          "soak.growth.\($0.life)", $0.perMinute, "MB/min",
          settings: PushGoal.atMost(settings.atMost, $0.perMinute) + ", life \($0.life) of the server after its warm-up"
        )
      }
  }

  private func fact(_ name: String) -> Double { journal[name]?.double ?? 0 }
}
