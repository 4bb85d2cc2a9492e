import ArgumentParser
import BenchReport
import Journal
import NIOPosix

/// The journal by itself: how many events it makes durable, what they take on the disk, how fast they are read again.
struct JournalBench: Bench {
  static let configuration = CommandConfiguration(
    commandName: "journal", abstract: "Synced appends by 1, 64 and 1,024 appenders against the raw disk; replay.")

  @OptionGroup var workload: Workload
  @OptionGroup var report: ReportOptions

  struct Workload: ParsableArguments {
    @Option(help: "Seconds of each measurement.") var seconds = 5
    @Option(help: "Events of the replay.") var replayEvents = 1_000_000

    func validate() throws {
      guard (1...600).contains(seconds), (10_000...100_000_000).contains(replayEvents) else {
        throw ValidationError("seconds from 1 to 600, replay events from 10,000 to 100,000,000")
      }
    }
  }

  static func measure(_ workload: Workload) async throws -> [Measurement] {
    let duration = Duration.seconds(workload.seconds)
    // What blocks has threads of its own.
    let threads = NIOThreadPool.singleton
    var results = try await threads.runIfActive { try single(duration) }
    for count in [64, 1_024] { results += try await concurrent(count, duration) }
    results += try await threads.runIfActive { try replay(workload) }
    return results
  }

  /// One appender and the raw disk in turns, so that both meet the same moods of the disk.
  static func single(_ duration: Duration) throws -> [Measurement] {
    Terminal.note("journal: one appender and the raw disk, \(duration) each")
    let stock = try Appenders.Stock(appenders: 1)
    let directory = try WorkDirectory()
    let probe = try WorkDirectory()
    // Frames of one event, to be written raw.
    let probed = try JournalRun(in: probe)
    let count = try Appenders.single(probed.writer, stock, for: .seconds(1)).events
    try probed.writer.close()
    let used = try JournalRun.usedBytes(probe)
    let frameBytes = max(1, used / max(1, count))
    let frames =
      probe.files(in: JournalRun.folder).max { $0.bytes < $1.bytes }
      .flatMap { Files.bytes($0.path, maximum: used) } ?? []

    let raw = try RawDisk(in: directory)
    let run = try JournalRun(in: directory)
    let rounds = 4
    var journal = (events: 0, seconds: 0.0)
    var disk = (events: 0, seconds: 0.0)
    for _ in 0..<rounds {
      let first = try raw.measure(frames, frameBytes: frameBytes, for: duration / rounds)
      disk = (disk.events + first.events, disk.seconds + first.seconds)
      let second = try Appenders.single(run.writer, stock, for: duration / rounds)
      journal = (journal.events + second.events, journal.seconds + second.seconds)
    }
    try run.writer.close()
    let rawRate = Double(disk.events) / disk.seconds
    let rate = Double(journal.events) / journal.seconds
    return [
      Measurement(
        "journal.raw.synced.1", rawRate, "events/s",
        settings: "write of \(frameBytes) bytes + fdatasync into a file of zeros, the reference of this run"),
      Measurement(
        "journal.append.synced.1", rate, "events/s",
        settings: "one appender, 200-byte events, \(Measurement.decimal(rate / rawRate, digits: 2)) of raw"),
      Measurement("journal.bytes.1", Double(frameBytes), "bytes/event", settings: "on disk, one event a frame"),
    ]
  }

  static func concurrent(_ count: Int, _ duration: Duration) async throws -> [Measurement] {
    Terminal.note("journal: \(count) appenders, \(duration)")
    let stock = try Appenders.Stock(appenders: count)
    let directory = try WorkDirectory()
    let run = try JournalRun(in: directory)
    let outcome = try await Appenders.concurrent(count, run.writer, stock, for: duration)
    let bytes = try await NIOThreadPool.singleton.runIfActive {
      try run.writer.close()
      return Double(try JournalRun.usedBytes(directory)) / Double(outcome.events)
    }
    return [
      Measurement(
        "journal.append.synced.\(count)", outcome.perSecond, "events/s",
        settings: "\(count) tasks, each waits for the disk, 200-byte events"),
      Measurement("journal.bytes.\(count)", bytes, "bytes/event", settings: "on disk, everything included"),
    ]
  }

  private static func replay(_ workload: Workload) throws -> [Measurement] {
    Terminal.note("journal: replay of \(workload.replayEvents) events")
    let directory = try WorkDirectory()
    try JournalRun.fill(directory, events: workload.replayEvents, chats: 1_000)
    let rates = try (0..<3).map { _ in
      let (events, seconds) = try JournalRun.replay(directory)
      return Double(events) / seconds
    }
    return [
      Measurement(
        "journal.replay", rates.sorted()[1], "events/s",
        settings: "read, check, decode and apply to 1,000 chats, median of 3")
    ]
  }
}
