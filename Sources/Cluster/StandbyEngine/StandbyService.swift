package import EngineKit
import EntityRuntime
import EventSourcing
import Journal
package import JournalFormat
import Logging
package import OptionKit
package import StandbyWire
import Synchronization
package import SystemPackage

/// The primary's side of a warm standby: who follows this journal, what each is sent, and how far it has come.
///
/// ```
///  writer ──durable──> extent ─┐
///  blob stored ──> announced ──┼─> a stream for each standby ─> standby ── syncs ──> acknowledges ─> lag
///  a look each second ─────────┘   (reads segments by itself)
/// ```
/// Nothing of the primary's waits for a stream: each reads the segments' files from its own place on.
package final class StandbyService: Sendable {
  let source: any DurableSource
  let directory: ServedDirectory
  let news = StreamNews()
  /// What everybody who would follow is told; nil: they may.
  private let refusal: StandbyRefusal?
  private let node: Node
  private let registry = StandbyRegistry()
  private let metrics = StandbyMetrics()
  private let onRelieved: @Sendable (_ description: String) -> Void
  private let watch = Mutex<ChangeWatch?>(nil)
  /// Looks at files and streams' beginnings, one after the other; made when somebody asks for the first time.
  private let desk = Mutex<ReadingThread?>(nil)
  private let ended = Atomic(false)
  private let blobsGone = Mutex<(isDue: Bool, told: Int64)>((false, 0))
  private let calls: AsyncStream<Void>
  private let bell: AsyncStream<Void>.Continuation

  /// How often files beside the journal's end are looked at while somebody follows.
  static let lookMilliseconds: Int64 = 1_000
  /// Standbys are told at most so often that blobs have gone.
  static let blobsGoneMilliseconds: Int64 = 60_000

  /// - Parameters:
  ///   - directory: what standbys copy.
  ///   - source: the writer of its journal.
  ///   - refusal: what everybody who would follow is told; nil: they may.
  ///   - onRelieved: called as soon as an authenticated standby has told of a higher epoch: nothing may be acknowledged
  ///     any more, and the process is to end.
  package init(
    _ node: Node, directory: ServedDirectory, source: any DurableSource, refusal: StandbyRefusal? = nil,
    onRelieved: @escaping @Sendable (_ description: String) -> Void
  ) {
    self.node = node
    self.directory = directory
    self.source = source
    self.refusal = refusal
    self.onRelieved = onRelieved
    (calls, bell) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
  }

  /// The standbys of a partition's journal; none, if it is one of several.
  package convenience init(_ partition: Partition, onRelieved: @escaping @Sendable (_ description: String) -> Void) {
    self.init(
      partition.node, directory: ServedDirectory(data: partition.dataDirectory, archive: partition.archiveDirectory),
      source: JournalSource(partition), refusal: partition.isAlone ? nil : .severalPartitions, onRelieved: onRelieved)
  }

  var now: Int64 { node.time.monotonicMilliseconds }
  var wallMilliseconds: Int64 { node.time.now.milliseconds }
  /// The journal is closed: its extent, asked for after this, is its last.
  var hasEnded: Bool { ended.load(ordering: .acquiring) }

  /// A standby follows or did since the start, or is waited for: a stop is its affair, too.
  package var isExpected: Bool { source.isAwaited || !registry.isEmpty }

  // MARK: What standbys ask

  /// - Parameter epoch: the highest that who asks has heard of.
  /// - Throws: `StandbyRefusal.relieved`: this is no primary any more, and the process is about to end;
  ///   `IncredibleEpoch`: nothing has changed.
  package func hear(of epoch: UInt32) async throws {
    try requireOffer()
    guard let own = source.extent?.epoch, epoch > own else { return }
    guard JournalEpoch.isCredible(epoch, above: own) else {
      node.logger.error("an epoch is not believed", metadata: ["epoch": "\(epoch)", "own": "\(own)"])
      throw IncredibleEpoch(epoch: epoch, own: own)
    }
    var what = "another server has taken over in epoch \(epoch), this one has written in epoch \(own)"
    do {
      try await thread.run { [source] in Result { try source.heard(of: epoch) } }.get()
    } catch {
      what += "; this could not be written down (\(error)): started again, the server goes on until it is told again"
    }
    metrics.refused(.relieved)
    onRelieved(what)
    throw StandbyRefusal.relieved
  }

  /// A page of the manifest.
  /// - Throws: `StandbyRefusal`; `StorageError`, `FormatError`.
  package func manifest(after: StandbyPath?) async throws -> StandbyManifest {
    try await onThread { [directory, source] in try directory.manifest(after: after) { source.extent } }
  }

  /// Opens a file to be sent.
  /// - Throws: `StandbyRefusal.noFile`, `.versionDiffers`; `StorageError`.
  package func file(_ place: StandbyPath, version: String) async throws -> ServedFileReader {
    let file = try await onThread { [directory] in
      guard let file = try directory.openIfThere(place) else { throw StandbyRefusal.noFile }
      guard file.version == version else { throw StandbyRefusal.versionDiffers }
      return file
    }
    return ServedFileReader(file, ReadingThread(name: "carillon.standby"), metrics)
  }

  /// Begins a stream, which lasts for as long as somebody has it.
  ///
  /// - Parameters:
  ///   - place: where the standby's journal ends.
  ///   - chainHash: of the last frame before; nil if a new copy begins there.
  /// - Throws: `StandbyRefusal`; `StorageError`, `FormatError`.
  package func follow(_ name: StandbyName, from place: StandbyPlace, chainHash: Hash256?) async throws -> StandbyStream
  {
    let thread = ReadingThread(name: "carillon.standby")
    let outlet = StreamOutlet(news: news)
    let (tail, hello, ticket) = try await onThread { [self] in
      guard let extent = source.extent, let identity = try directory.identity() else { throw StandbyRefusal.notReady }
      let tail = try SegmentTail(directory, from: place, chainHash: chainHash, extent: extent)
      // What has changed since nobody looked is in the manifest, which is read behind `hello`.
      if registry.connectedCount == 0 { try watch.withLock { $0 = try ChangeWatch(directory) } }
      let ticket = try registry.enter(name, outlet, at: now)
      let hello = StandbyMessage.Hello(
        identity: identity, epoch: extent.epoch, place: extent.place, position: extent.position)
      return (tail, StandbyMessage.hello(hello), ticket)
    }
    node.logger.notice("a standby follows", metadata: ["standby": "\(name.text)", "from": "\(place)"])
    bell.yield()
    return StandbyStream(self, name, ticket: ticket, outlet: outlet, tail: tail, thread: thread, hello: hello)
  }

  func left(_ name: StandbyName, _ ticket: UInt64) {
    registry.leave(name, ticket, at: now)
    node.logger.notice("a standby has left", metadata: ["standby": "\(name.text)"])
  }

  func sent(_ count: Int) { metrics.sent(count) }

  /// Whether a standby that says what it has on its disk has said nothing of a position yet.
  func owes(_ name: StandbyName, _ ticket: UInt64, _ position: UInt64) -> Bool {
    registry.owes(name, ticket, position)
  }

  /// A standby has synced all up to a place.
  /// - Throws: `notFollowing`.
  package func acknowledge(_ acknowledgement: StandbyAcknowledgement) throws(StandbyRefusal) {
    do {
      try registry.acknowledged(acknowledgement)
    } catch {
      metrics.refused(error)
      throw error
    }
    source.acknowledged(acknowledgement.position)
    // It may have been all that its stream still waited for.
    if hasEnded { news.tell() }
  }

  private var thread: ReadingThread {
    desk.withLock { desk in
      let thread = desk ?? ReadingThread(name: "carillon.standbys")
      desk = thread
      return thread
    }
  }

  private func requireOffer() throws(StandbyRefusal) {
    guard let refusal else { return }
    metrics.refused(refusal)
    throw refusal
  }

  private func onThread<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
    try requireOffer()
    do {
      return try await thread.run { Result { try body() } }.get()
    } catch let refusal as StandbyRefusal {
      metrics.refused(refusal)
      throw refusal
    }
  }

  // MARK: What happens here

  /// A blob is on the disk, and a record that names it may follow. Blocks for one look at it.
  package func stored(_ path: FilePath) {
    guard registry.connectedCount > 0, let place = directory.place(of: path) else { return }
    do {
      registry.announce(.file(try directory.open(place).described(as: place)))
    } catch {
      // Who looks at the manifest finds what there is.
      registry.announce(.changed)
    }
  }

  /// A blob has gone.
  package func removed() { blobsGone.withLock { $0.isDue = true } }

  /// Shows operators how the standbys stand.
  package func report() { metrics.report(standings) }

  /// How each standby stands that follows, or did since the start; by name.
  package var standings: [StandbyStanding] {
    source.extent.map { registry.standings(at: now, durable: $0.position) } ?? []
  }

  private func look() async {
    let result = await thread.run { [self] in
      watch.withLock { watch in
        Result { () throws(StorageError) in try watch?.changes() ?? [] }
      }
    }
    switch result {
    case .success(let messages): for message in messages { registry.announce(message) }
    case .failure(let error): node.logger.error("changes of files cannot be seen: \(error)")
    }
    let now = now
    let isDue = blobsGone.withLock { gone in
      guard gone.isDue, now - gone.told >= Self.blobsGoneMilliseconds else { return false }
      gone = (false, now)
      return true
    }
    if isDue { registry.announce(.changed) }
    // Each stream says once a second where the primary is, whatever happens.
    news.tell()
  }
}

extension StandbyService: Feature {
  package static var kinds: [EntityCard] { [] }
  package static var options: [OptionSpecification] { [] }
  package static var metrics: [MetricKey] { StandbyMetricKeys.metrics }

  package func restored() async throws {
    source.onDurable { [weak self] position in
      guard let self else { return }
      registry.note(position, at: now)
      news.tell()
    }
  }

  /// Looks around while somebody follows, until `closed`.
  package func run() async {
    var timer: TimerWheel.Handle?
    for await _ in calls where registry.connectedCount > 0 {
      await look()
      if let timer { node.timers.cancel(timer) }
      timer = node.timers.schedule(afterMilliseconds: Self.lookMilliseconds) { [bell] in bell.yield() }
    }
  }

  package func finish() { registry.close() }

  /// Whoever follows gets what there is, and the end once it has it on its disk.
  package func closed(until deadline: Int64) async {
    ended.store(true, ordering: .releasing)
    news.tell()
    while registry.connectedCount > 0, now < deadline {
      await node.timers.sleep(milliseconds: node.timers.tickMilliseconds)
    }
    registry.end()
    bell.finish()
  }
}
