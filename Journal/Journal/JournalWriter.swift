public import JournalFormat

/// The only writer of a journal: takes records at once, makes them durable in groups, and then releases those
/// who wait, in journal order.
///
/// ```
///  appenders ──append──> pending batch ──┐ whoever has the commit role: the writer's thread, or a thread that waits
///  (any thread, no disk)                 └─> one frame ─> one durable write ─> durable position ─> releases, in order
/// ```
/// While one batch is on its way to the disk the next one fills: group commit by itself. A failed write or sync is
/// final: those who wait are told that they are lost, `onFatal` is called once, and no sync is tried again.
///
/// Safe to share: all mutable state is touched under `lock`, or by whoever has the commit role
/// (`pipeline.isCommitting`), which passes from thread to thread under `lock`.
public final class JournalWriter: @unchecked Sendable {
  /// Called with all waiters of a commit, in journal order, by one thread at a time; at last, if the journal has failed,
  /// with all that are lost, and nil for the position.
  public typealias Delivery = @Sendable (_ waiters: [any DurabilityWaiter], _ durablePosition: UInt64?) -> Void
  /// Called once, by the thread that saw the failure; the process is expected to exit.
  public typealias FatalHandler = @Sendable (JournalError) -> Void

  let configuration: JournalConfiguration
  let lock = ThreadLock()
  let log: any FrameLog
  /// The log's; held here because each append looks at it.
  let room: LogRoom
  let delivery: DeliveryQueue
  let onFatal: FatalHandler

  // Under `lock`:
  var pipeline: CommitPipeline
  var pending: RecordBatch
  var waiters: [any DurabilityWaiter] = []
  /// The writer's thread is to commit without waiting for an idle moment.
  var isWakeRequested = false
  var isClosing = false
  var parking = Parking.none
  var blockedThreadCount = 0
  /// Waiters of the commit under way have not been handed over.
  var isDelivering = false
  /// Waiters that were handed over and not yet released, as of the last commit.
  var undeliveredCount = 0
  /// The log's, as of the last commit.
  var isNearEnd: Bool
  /// What is on the disk, as of the last commit.
  var reached: DurableExtent
  var durableHook: (@Sendable (DurableExtent) -> Void)?
  var figures = CommitFigures()
  /// Commits since the writer's thread last looked for idleness.
  var recentCommitCount = 0
  let writerNews = ThreadLock.Condition()
  let commitNews = ThreadLock.Condition()
  private var thread: DedicatedThread?

  // With the commit role:
  var committing: RecordBatch
  var committingWaiters: [any DurabilityWaiter] = []
  /// In stepped mode, the frame of `committing` that waits for room on the disk for another segment; the commit is then
  /// still under way, and the next step goes on with it.
  var stalledFrame: Int?

  /// What the writer's thread is waiting for.
  enum Parking { case none, forever, idleInterval, lazyInterval }

  /// - Parameters:
  ///   - log: what it writes to, from now on alone.
  ///   - pipeline: where the journal stands.
  /// - Throws: if there are no more threads; `log` is as it was then.
  package init(
    configuration: JournalConfiguration, log: any FrameLog, pipeline: CommitPipeline, deliver: @escaping Delivery,
    onFatal: @escaping FatalHandler
  ) throws(StorageError) {
    self.configuration = configuration
    self.log = log
    room = log.room
    self.pipeline = pipeline
    delivery = DeliveryQueue(isStepped: configuration.isStepped, deliver: deliver)
    self.onFatal = onFatal
    let unit = FormatLimits.unitByteCountMaximum(segmentByteCount: configuration.segmentByteCount)
    pending = RecordBatch(unitByteCountMaximum: unit)
    committing = RecordBatch(unitByteCountMaximum: unit)
    isNearEnd = log.isNearEnd
    reached = log.extent(at: pipeline.durablePosition)
    guard !configuration.isStepped else { return }
    try delivery.start()
    do {
      thread = try DedicatedThread { [self] in run() }
    } catch {
      delivery.stop()
      throw error
    }
  }

  /// Of all that is written.
  public var epoch: UInt32 { log.epoch }

  /// The last position on the disk.
  public var durablePosition: UInt64 {
    lock.lock()
    defer { lock.unlock() }
    return pipeline.durablePosition
  }

  /// The end of the last frame on the disk.
  public var durablePoint: JournalPoint { durableExtent.point }

  /// How the commits so far went.
  public var commitFigures: CommitFigures {
    lock.lock()
    defer { lock.unlock() }
    return figures
  }

  /// The last position given out.
  public var lastPosition: UInt64 {
    lock.lock()
    defer { lock.unlock() }
    return pipeline.lastPosition
  }

  /// There is no room for more: soon appends will be refused, if they are not already. Goes by itself.
  public var isStorageFull: Bool { room.isFull }

  /// Writes what waits, confirms it, and ends; a second call does nothing. Not to be called by a waiter or a handler.
  ///
  /// - Throws: `failed` if not everything reached the disk.
  public func close() throws(JournalError) {
    lock.lock()
    let isFirst = !isClosing
    isClosing = true
    let ending = thread
    thread = nil
    lock.unlock()
    if configuration.isStepped {
      guard isFirst else { return }
      finishSteps()
    } else {
      writerNews.signal()
      log.giveUpWhenFull()
      guard let ending else { return }
      ending.join()
    }
    delivery.stop()
    log.close()
    lock.lock()
    defer { lock.unlock() }
    if pipeline.hasFailed { throw .failed }
  }
}
