internal import JournalFormat
internal import SystemPackage

/// Frames in the files of a directory: the segment that is being written, and the step to the next one.
///
/// Safe to share: only whoever has the commit role touches it, and that role passes from thread to thread under the
/// writer's lock; what is for any thread touches only the preallocator.
final class SegmentLog: FrameLog, @unchecked Sendable {
  private let directory: JournalDirectory
  private let configuration: JournalConfiguration
  private let preallocator: SegmentPreallocator
  /// That nobody else writes the journal.
  private let directoryLock: any StorageLock
  let epoch: UInt32
  private var file: any StorageFile
  private var header: SegmentHeader
  private var encoder: FrameEncoder
  /// All before it is on the disk; the next frame begins here.
  private var offset: Int
  /// Of frames that are encoded and not on the disk yet.
  private var leaves: [UInt8] = []
  private var leavesFirstPosition: UInt64 = 0

  init(
    directory: JournalDirectory, configuration: JournalConfiguration, preallocator: SegmentPreallocator,
    directoryLock: any StorageLock, tail: RecoveredTail, epoch: UInt32
  ) {
    self.directory = directory
    self.configuration = configuration
    self.preallocator = preallocator
    self.directoryLock = directoryLock
    self.epoch = epoch
    file = tail.file
    header = tail.header
    offset = tail.offset
    encoder = FrameEncoder(
      seed: tail.seed, chainHash: tail.chainHash, epoch: tail.header.epoch, salts: configuration.randomBytes)
  }

  var room: LogRoom { preallocator.room }
  /// Half of the segment is left for what was taken before the disk was known to be full.
  var isNearEnd: Bool { offset >= configuration.segmentByteCount / 100 * Limits.fullDiskSegmentPercent }

  var segmentNumber: UInt64 { header.number }
  /// Chain hash of the last frame.
  var chainHash: Hash256 { encoder.chainHash }

  /// The end of the last frame.
  ///
  /// - Parameter position: of the last record in it, or before it.
  func point(at position: UInt64) -> JournalPoint {
    JournalPoint(position: position, chainHash: encoder.chainHash, segmentNumber: header.number, segmentID: header.id)
  }

  func extent(at position: UInt64) -> DurableExtent {
    DurableExtent(point: point(at: position), offset: offset, epoch: header.epoch)
  }

  func write(
    _ batch: borrowing RecordBatch, from first: Int, durablePosition: UInt64, waitsForRoom: Bool
  ) throws(JournalError) -> Int {
    var durablePosition = durablePosition
    for index in first..<batch.frames.count {
      let draft = batch.frames[index]
      if !fits(draft.frameByteCountMaximum) {
        try flush()
        durablePosition = draft.firstPosition - 1
        guard try roll(nextPosition: draft.firstPosition, waitsForRoom: waitsForRoom) else { return index }
      }
      do {
        if leaves.isEmpty { leavesFirstPosition = draft.firstPosition }
        try encoder.append(draft, of: batch, durablePosition: durablePosition, durableOffset: offset) { found in
          if configuration.leaves != nil { found.append(to: &leaves) }
        }
      } catch {
        throw JournalError(error, file: directory.segment(header.number), offset: offset)
      }
    }
    try flush()
    if offset > header.segmentByteCount / 2 { preallocator.hurry() }
    return batch.frames.count
  }

  func confirm(nextPosition: UInt64, waitsForRoom: Bool) throws(JournalError) -> Bool {
    guard fits(FrameHeader.byteCount) else {
      return try roll(nextPosition: nextPosition, waitsForRoom: waitsForRoom)
    }
    appendEmpty(seal: false, nextPosition: nextPosition)
    try flush()
    return true
  }

  func seal(nextPosition: UInt64) throws(JournalError) -> JournalPoint? {
    if header.number > 1, offset == FormatLimits.segmentHeaderByteCount {
      return JournalPoint(
        position: nextPosition - 1, chainHash: header.previousHash, segmentNumber: header.number - 1,
        segmentID: header.previousID)
    }
    let (number, id) = (header.number, header.id)
    guard try roll(nextPosition: nextPosition, waitsForRoom: false) else { return nil }
    return JournalPoint(
      position: nextPosition - 1, chainHash: encoder.chainHash, segmentNumber: number, segmentID: id)
  }

  /// Begins a segment of this writer's epoch, if the current one is of an earlier: all frames of a segment have its own.
  ///
  /// - Returns: whether it has begun one.
  /// - Throws: `storageFull`, `storage`.
  func beginEpoch(nextPosition: UInt64) throws(JournalError) -> Bool {
    precondition(header.epoch <= epoch, "recovery refuses to go back to an earlier epoch")
    guard header.epoch < epoch else { return false }
    guard try roll(nextPosition: nextPosition, waitsForRoom: false) else { throw .storageFull }
    return true
  }

  /// Seals this segment, which confirms it too, and begins the next.
  ///
  /// - Returns: false if the disk has no room for the next one; nothing was written then.
  private func roll(nextPosition: UInt64, waitsForRoom: Bool) throws(JournalError) -> Bool {
    let zeros: any StorageFile
    do {
      // Before the seal: behind it nothing can be written until there is room.
      zeros = try preallocator.take(waitsForRoom: waitsForRoom)
    } catch {
      guard error.isDiskFull else { throw .storage(error) }
      return false
    }
    appendEmpty(seal: true, nextPosition: nextPosition)
    try flush()
    file.close()
    let next: RecoveredTail
    do {
      next = try Self.begin(
        zeros, after: header, chainHash: encoder.chainHash, nextPosition: nextPosition, epoch: epoch,
        directory: directory, configuration: configuration)
    } catch {
      throw .storage(error)
    }
    preallocator.prepare()
    file = next.file
    header = next.header
    offset = next.offset
    encoder.beginSegment(seed: next.seed, epoch: next.header.epoch)
    return true
  }

  /// The next segment is begun in the background; a step looks once more whether the disk has room for it.
  func step() { preallocator.prepare() }

  func giveUpWhenFull() { preallocator.giveUpWhenFull() }

  func close() {
    preallocator.stop()
    file.close()
    directoryLock.release()
  }

  /// Makes the first segment, or the one after a sealed one, when a journal is opened.
  ///
  /// - Parameter previous: nil for the first segment of a journal.
  /// - Throws: `storageFull`, `storage`.
  static func begin(
    after previous: SegmentHeader?, chainHash: Hash256, nextPosition: UInt64, epoch: UInt32,
    directory: JournalDirectory, configuration: JournalConfiguration, preallocator: SegmentPreallocator
  ) throws(JournalError) -> RecoveredTail {
    do {
      let tail = try begin(
        try preallocator.take(waitsForRoom: false), after: previous, chainHash: chainHash, nextPosition: nextPosition,
        epoch: epoch, directory: directory, configuration: configuration)
      preallocator.prepare()
      return tail
    } catch {
      throw error.isDiskFull ? .storageFull : .storage(error)
    }
  }

  /// Gives a file of zeros its header, then its name.
  private static func begin(
    _ file: any StorageFile, after previous: SegmentHeader?, chainHash: Hash256, nextPosition: UInt64, epoch: UInt32,
    directory: JournalDirectory, configuration: JournalConfiguration
  ) throws(StorageError) -> RecoveredTail {
    var random: (high: UInt64, low: UInt64) = (0, 0)
    withUnsafeMutableBytes(of: &random) { configuration.randomBytes($0) }
    let header = SegmentHeader(
      segmentByteCount: configuration.segmentByteCount, number: (previous?.number ?? 0) + 1,
      id: SegmentID(high: random.high, low: random.low), previousID: previous?.id ?? .none,
      firstPosition: nextPosition, createdMilliseconds: configuration.clock(), nodeID: configuration.nodeID,
      epoch: epoch, previousHash: chainHash)
    let (page, seed) = header.encoded()
    try file.writeArray(page, at: 0, durably: true)
    try directory.storage.rename(directory.preallocating, to: directory.segment(header.number))
    try directory.storage.synchronizeDirectory(directory.path)
    return RecoveredTail(
      file: file, header: header, seed: seed, offset: FormatLimits.segmentHeaderByteCount, chainHash: chainHash)
  }

  // Room for the frame, a confirming frame and the seal.
  private func fits(_ byteCount: Int) -> Bool {
    offset + encoder.outputByteCount + byteCount + 2 * FrameHeader.byteCount <= header.segmentByteCount
  }

  private func appendEmpty(seal: Bool, nextPosition: UInt64) {
    encoder.appendEmpty(
      seal: seal, nextPosition: nextPosition, timeMilliseconds: configuration.clock(),
      durablePosition: nextPosition - 1, durableOffset: offset)
  }

  private func flush() throws(JournalError) {
    guard encoder.outputByteCount > 0 else { return }
    do {
      try file.writeAll(encoder.encodedBytes, at: offset, durably: true)
    } catch {
      throw .storage(error)
    }
    offset += encoder.outputByteCount
    encoder.clearOutput()
    handOverLeaves()
  }

  private func handOverLeaves() {
    guard !leaves.isEmpty else { return }
    let position = leavesFirstPosition + UInt64(leaves.count / 32) - 1
    configuration.leaves?.add(leaves, firstPosition: leavesFirstPosition, point: point(at: position))
    leaves.removeAll(keepingCapacity: leaves.capacity <= Limits.idleBufferByteCount)
  }
}

/// Where writing goes on.
struct RecoveredTail {
  let file: any StorageFile
  let header: SegmentHeader
  let seed: UInt32
  let offset: Int
  let chainHash: Hash256
}
