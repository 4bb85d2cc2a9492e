package import EngineKit
import EntityRuntime
import EventSourcing
import Journal
import JournalFormat
import Logging
package import OptionKit
import Synchronization
import SystemPackage
import Transparency

/// The journal as a log that strangers can check: signs checkpoints, keeps them, shows them to witnesses, and proves.
///
/// Nothing is signed that is not on the disk, in the journal and in the tree; and nothing is shown before it is kept.
package final class EvidenceService: Feature {
  package static var kinds: [EntityCard] { [] }
  package static var options: [OptionSpecification] { LogOptions.options }
  package static var metrics: [MetricKey] { LogMetricKeys.metrics }

  let partition: Partition
  let caller: any WitnessCaller
  let store: CheckpointStore
  let book = Mutex(LogBook())
  /// Checkpoints are made and kept one after the other.
  let turn = Housekeeper()
  /// Cosignatures that have come and are not kept yet, by the size of their checkpoint.
  let waiting = Mutex<[UInt64: [NoteSignature]]>([:])
  let pace = Mutex(Pace())
  let metrics = LogMetrics()
  let hashReaders: JournalReaderCount
  let entryReaders: JournalReaderCount
  private let calls: AsyncStream<Void>
  private let bell: AsyncStream<Void>.Continuation

  /// When what is due.
  struct Pace {
    var nextCheckpoint: Int64 = 0
    /// When the newest checkpoint was found up to date, or made.
    var checked: Int64?
    var lastObstacle: LogObstacle?
    var timer: TimerWheel.Handle?
    var isOver = false
  }

  package init(_ partition: Partition, witnesses caller: any WitnessCaller) {
    self.partition = partition
    self.caller = caller
    store = CheckpointStore(
      directory: partition.dataDirectory.appending(CheckpointStore.directoryName),
      storage: partition.node.environment.storage)
    hashReaders = JournalReaderCount(maximum: partition.node.limits.logReadersMaximum)
    entryReaders = JournalReaderCount(maximum: partition.node.limits.logEntryReadersMaximum)
    (calls, bell) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    partition.node.options.onReplace { [bell] in bell.yield() }
  }

  var node: Node { partition.node }
  var limits: EngineLimits { node.limits }
  var now: Int64 { node.time.monotonicMilliseconds }
  var unixSeconds: UInt64 { UInt64(clamping: node.time.now.milliseconds / 1_000) }

  /// What is set; nil while there is no log, as of several partitions.
  var settings: LogSettings? { partition.keepsTree && partition.isAlone ? LogSettings(node.options.current) : nil }

  /// Who may fetch checkpoints and tiles; nobody while there is no log.
  package var readers: LogReaders {
    settings == nil ? .nobody : node.options.current.section(.server)[LogOptions.keys.readers]
  }

  /// Whether customers get proofs of their own messages.
  package var givesReceipts: Bool { settings != nil && node.options.current.section(.server)[LogOptions.keys.receipts] }

  // MARK: Running

  package func restored() async throws { bell.yield() }

  /// Does what is due, until `finish`; whoever is being asked then is not waited for.
  package func run() async {
    await withDiscardingTaskGroup { group in
      for await _ in calls {
        guard !pace.withLock({ $0.isOver }) else { break }
        guard settings != nil else { continue }
        if node.isReady {
          await checkpointIfDue()
          for witness in takeDue() { group.addTask { await self.ask(witness) } }
          note()
        }
        // One timer at a time, whoever has rung meanwhile.
        let next = node.timers.schedule(afterMilliseconds: limits.logPauseMilliseconds) { [bell] in bell.yield() }
        if let former = pace.withLock({ pace in
          defer { pace.timer = next }
          return pace.timer
        }) {
          node.timers.cancel(former)
        }
      }
      group.cancelAll()
    }
  }

  package func finish() {
    pace.withLock { $0.isOver = true }
    bell.finish()
  }

  /// Other settings count at once, unless something was wrong just now.
  private func checkpointIfDue() async {
    guard let settings else { return }
    let isNew = book.withLock { $0.settings != settings }
    guard pace.withLock({ now >= $0.nextCheckpoint || isNew && $0.lastObstacle == nil }) else { return }
    var pause = limits.logRetryMilliseconds
    do throws(LogObstacle) {
      if let interval = settings.interval {
        try await makeCheckpoint()
        pause = interval.wholeMilliseconds
      } else if isNew {
        try await takeUp()
      }
    } catch {
      if let interval = settings.interval { pause = min(pause, interval.wholeMilliseconds) }
    }
    pace.withLock { $0.nextCheckpoint = now + pause }
  }

  func takeDue() -> [LogBook.Witness] { book.withLock { $0.takeDue(at: now) } }

  private func note() {
    let checked = pace.withLock { $0.checked }
    metrics.note(
      book.withLock { $0 }, unixSeconds: unixSeconds, checkedSecondsAgo: checked.map { Double(now - $0) / 1_000 })
  }

  /// Makes a checkpoint if there are new records, and asks all witnesses that are due; for whoever wants to wait.
  ///
  /// - Throws: `LogObstacle`; what witnesses say stands in `status`.
  package func checkpointNow() async throws(LogObstacle) {
    try await makeCheckpoint()
    await withDiscardingTaskGroup { group in
      for witness in takeDue() { group.addTask { await self.ask(witness) } }
    }
    note()
  }
}
