package import Journal
internal import JournalFormat
package import StandbyWire
package import SystemPackage

/// A standby: has a data directory follow a primary until it is stopped, or cannot go on.
///
/// The plan decides, the disk writes, the primary is asked; here they meet.
package struct Follower: Sendable {
  private let primary: any Primary
  private let allowsNewCopy: Bool
  private let disk: FollowerDisk
  private let fetch: FollowerFetch
  private let board: FollowerBoard
  private let clock: @Sendable () -> Int64
  private let pause: @Sendable (Duration) async throws -> Void

  /// - Parameters:
  ///   - data: the data directory; made if it is not there.
  ///   - url: the primary's, for the status.
  ///   - name: if the directory has none yet.
  ///   - allowsNewCopy: also where the primary keeps nothing by which the two are known to be one journal.
  ///   - protect: makes a file its owner's alone.
  ///   - clock: milliseconds since 1970.
  ///   - pause: waits between two tries.
  ///   - tell: called with the status when something changes, and each second.
  package init(
    data: FilePath, primary: any Primary, url: String, name: StandbyName, allowsNewCopy: Bool = false,
    storage: any JournalStorage = DiskStorage(),
    protect: @escaping @Sendable (FilePath) throws(StorageError) -> Void = FilePrivacy.protect,
    clock: @escaping @Sendable () -> Int64 = JournalConfiguration.systemClock,
    pause: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) },
    tell: @escaping @Sendable (FollowerStatus) -> Void = { _ in }
  ) {
    self.primary = primary
    self.allowsNewCopy = allowsNewCopy
    disk = FollowerDisk(data, name: name, storage: storage, protect: protect, clock: clock)
    fetch = FollowerFetch(primary: primary, disk: disk)
    board = FollowerBoard(FollowerStatus(primary: url), clock: clock, tell: tell)
    self.clock = clock
    self.pause = pause
  }

  /// Follows; called once.
  ///
  /// - Returns: why it cannot go on; nil if its task was cancelled.
  package func run() async -> FollowerEnd? {
    var plan = FollowerPlan(allowsNewCopy: allowsNewCopy)
    let end = await follow(&plan)
    await note { status in
      status.state = end == nil ? .waiting : .ended
      status.problem = end.map { "\($0)" } ?? "stopped"
    }
    await disk.close()
    return end
  }

  private func follow(_ plan: inout FollowerPlan) async -> FollowerEnd? {
    var action = plan.received(await input { () async throws(JournalError) in .started(try await disk.start()) })
    // What it has, it has also while nobody is reached.
    await note { $0.position = disk.durableEnd?.position ?? 0 }
    while !Task.isCancelled {
      switch action {
      case .look, .proceed:
        do throws(FollowerFetch.Failure) {
          action = plan.received(.manifest(try await fetch.manifest()))
        } catch {
          action = await received(error, &plan)
        }
      case .fetch(let work):
        await note { $0.state = plan.isCopying ? .copying : .looking }
        do throws(FollowerFetch.Failure) {
          action = plan.received(.fetched(try await carryOut(work)))
        } catch {
          action = await received(error, &plan)
        }
      case .stream(let place, let chain):
        action = await stream(from: place, chain, &plan)
      case .exchange:
        action = plan.received(
          await input { () async throws(JournalError) in .exchanged(try await disk.exchange()) })
      case .pause(let duration):
        do { try await pause(duration) } catch { return nil }
        action = plan.received(.rested)
      case .end(let end):
        return end
      }
    }
    return nil
  }

  // MARK: Files

  /// - Returns: where the journal that grows ends.
  private func carryOut(_ work: FollowerWork) async throws(FollowerFetch.Failure) -> CopyEnd? {
    var end: CopyEnd?
    do throws(JournalError) {
      // First of all: from here on no server starts on the directory.
      try await disk.follow(epoch: work.epoch)
      if case .newCopy(let isFresh) = work.target { try await disk.beginCopy(isFresh: isFresh) }
      end = try await disk.rewind()
    } catch {
      throw .disk(error)
    }
    try await fetch.install(work.files)
    guard !work.segments.isEmpty else { return end }
    // One that is there in part comes whole, and is judged by its own beginning.
    var last = end.flatMap { $0.isSealed ? $0 : nil }
    for segment in work.segments { last = try await fetch.install(segment, after: last) }
    do throws(JournalError) {
      try await disk.saveVersions()
      return try await disk.reopen()
    } catch {
      throw .disk(error)
    }
  }

  // MARK: The stream

  /// Follows the stream until it ends, or has brought a new copy to its end.
  private func stream(
    from place: StandbyPlace, _ chain: Hash256?, _ plan: inout FollowerPlan
  ) async -> FollowerPlan.Action {
    let words = AsyncStream.makeStream(of: CopyEnd.self, bufferingPolicy: .bufferingNewest(1))
    let kept = AsyncStream.makeStream(of: FollowerKeeper.News.self, bufferingPolicy: .bufferingNewest(1))
    return await withTaskGroup(of: Void.self) { group in
      group.addTask { await acknowledge(words.stream) }
      group.addTask { await FollowerKeeper(fetch: fetch, disk: disk, note: { await problem($0) }).keep(kept.stream) }
      var turn = FollowerTurn(isCopying: plan.isCopying, words: words.continuation, kept: kept.continuation)
      let action: FollowerPlan.Action
      do throws(FollowerFetch.Failure) {
        action = try await read(from: place, chain, &turn, &plan)
      } catch {
        action = await received(error, &plan)
      }
      words.continuation.finish()
      kept.continuation.finish()
      group.cancelAll()
      return action
    }
  }

  private func read(
    from place: StandbyPlace, _ chain: Hash256?, _ turn: inout FollowerTurn, _ plan: inout FollowerPlan
  ) async throws(FollowerFetch.Failure) -> FollowerPlan.Action {
    var parser = StandbyMessageParser()
    let stream: any PrimaryStream
    do throws(PrimaryFailure) {
      stream = try await primary.stream(from: place, chain: chain, disk.caller)
    } catch {
      throw .primary(error)
    }
    while !Task.isCancelled {
      let bytes: [UInt8]?
      do throws(PrimaryFailure) { bytes = try await stream.next() } catch { throw .primary(error) }
      guard let bytes else { throw .primary(.unreachable("the primary has ended the stream")) }
      parser.append(bytes)
      while true {
        let message: StandbyMessage?
        do throws(StandbyWireError) { message = try parser.next() } catch { throw .primary(.wire(error)) }
        guard let message else { break }
        let action = try await received(message, &turn, &plan)
        guard action == .proceed else { return action }
      }
      let action = try await write(&turn, &plan)
      guard action == .proceed else { return action }
    }
    throw .primary(.unreachable("stopped"))
  }

  private func received(
    _ message: StandbyMessage, _ turn: inout FollowerTurn, _ plan: inout FollowerPlan
  ) async throws(FollowerFetch.Failure) -> FollowerPlan.Action {
    switch message {
    case .bytes(let place, let bytes): turn.received(bytes, place)
    case .mark(let mark): turn.mark = mark
    case .sealed(let segment, let byteCount, let version):
      // The seal itself is in the bytes.
      let action = try await write(&turn, &plan)
      guard action == .proceed else { return action }
      guard turn.hasWhole(segment) else { break }
      let place = StandbyPath.segment(number: segment, isPacked: false, isArchived: false)
      let file = StandbyFile(place, byteCount: byteCount, version: version)
      do throws(JournalError) { try await disk.hasCome(file) } catch { throw .disk(error) }
    case .hello(let hello):
      let action = plan.received(.epoch(hello.epoch))
      guard action == .proceed else { return action }
      do throws(JournalError) { try await disk.follow(epoch: hello.epoch) } catch { throw .disk(error) }
      // What has changed since the manifest was read, nobody says.
      try await look(&turn)
    case .changed:
      let action = try await write(&turn, &plan)
      guard action == .proceed else { return action }
      try await look(&turn)
    case .file(let file):
      let action = try await write(&turn, &plan)
      guard action == .proceed else { return action }
      // A snapshot may know more than has come yet: the keeper fetches it once all that it knows is on the disk here.
      if file.place.isOfSnapshot { turn.hasNews = true } else { try await fetch.install([file]) }
    }
    return .proceed
  }

  /// Writes what has come, and if the primary has said how far it is, syncs it and says so.
  private func write(
    _ turn: inout FollowerTurn, _ plan: inout FollowerPlan
  ) async throws(FollowerFetch.Failure) -> FollowerPlan.Action {
    let (pieces, mark) = (turn.pieces, turn.mark)
    (turn.pieces, turn.mark) = ([], nil)
    guard !pieces.isEmpty || mark != nil else { return .proceed }
    let end: CopyEnd?
    do throws(CopyError) {
      end = try await disk.grow(pieces, synchronizing: mark != nil)
    } catch .journal(let error) {
      throw .disk(error)
    } catch {
      return plan.received(.damaged("\(error)"))
    }
    guard let mark, let end else { return .proceed }
    turn.synced(end)
    await note { status in
      (status.state, status.problem) = (turn.isCopying ? .copying : .following, nil)
      (status.epoch, status.position, status.primaryPosition) = (mark.epoch, end.position, mark.position)
      status.lagMilliseconds = max(0, clock() - mark.timeMilliseconds)
    }
    let action = plan.received(.synced(end))
    guard action == .proceed else { return action }
    if turn.isManifestDue(clock()) { try await look(&turn) }
    return .proceed
  }

  /// Fetches the manifest, and what the bytes to come may name.
  private func look(_ turn: inout FollowerTurn) async throws(FollowerFetch.Failure) {
    let manifest = try await fetch.manifest()
    // Now: what comes later is not gone.
    let gone: [FollowerDisk.GoneFile]
    do throws(JournalError) { gone = try await disk.gone(from: manifest) } catch { throw .disk(error) }
    try await fetch.install(manifest.files.filter { !$0.place.isOfSnapshot })
    turn.looked(FollowerKeeper.News(manifest: manifest, gone: gone), at: clock(), end: disk.durableEnd)
  }

  private func acknowledge(_ ends: AsyncStream<CopyEnd>) async {
    for await end in ends {
      // Until the primary has it: one that waits for standbys writes nothing more meanwhile that a next one would tell of.
      // If it is gone, the stream ends, and this too.
      while await !isAcknowledged(end) {
        do { try await pause(FollowerLimits.acknowledgementPause) } catch { return }
      }
    }
  }

  /// - Returns: false if the primary may not have heard it.
  private func isAcknowledged(_ end: CopyEnd) async -> Bool {
    let caller = disk.caller
    let word = StandbyAcknowledgement(
      name: caller.name, place: StandbyPlace(segment: end.segment, offset: end.offset), position: end.position)
    do throws(PrimaryFailure) {
      try await primary.acknowledge(word, caller)
    } catch {
      guard !Task.isCancelled else { return true }
      await problem(error.words)
      return false
    }
    return true
  }

  // MARK: What is told

  private func input(
    _ body: () async throws(JournalError) -> FollowerPlan.Input
  ) async -> FollowerPlan.Input {
    do throws(JournalError) { return try await body() } catch { return .failed(error) }
  }

  private func received(_ failure: FollowerFetch.Failure, _ plan: inout FollowerPlan) async -> FollowerPlan.Action {
    let action = plan.received(failure.input)
    await note { status in (status.state, status.problem) = (.waiting, failure.words) }
    return action
  }

  private func problem(_ words: String) async { await note { $0.problem = words } }

  private func note(_ change: (inout FollowerStatus) -> Void) async {
    guard let status = board.update(change) else { return }
    // A status that cannot be written is no reason to stop: a disk that fails is met by what matters.
    _ = try? await disk.write(status: status.document)
  }
}
