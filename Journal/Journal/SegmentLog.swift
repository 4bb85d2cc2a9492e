internal import JournalFormat
internal import SystemPackage

/// The segment that is being written, and the step to the next one.
///
/// Safe to share: only whoever has the commit role touches it, and that role passes from thread to thread under the
/// writer's lock.
final class SegmentLog: @unchecked Sendable {
  private let directory: JournalDirectory
  private let configuration: JournalConfiguration
  private let preallocator: SegmentPreallocator
  private var file: any StorageFile
  private var header: SegmentHeader
  private var encoder: FrameEncoder
  /// All before it is on the disk; the next frame begins here.
  private(set) var offset: Int

  init(
    directory: JournalDirectory, configuration: JournalConfiguration, preallocator: SegmentPreallocator,
    tail: RecoveredTail
  ) {
    self.directory = directory
    self.configuration = configuration
    self.preallocator = preallocator
    file = tail.file
    header = tail.header
    offset = tail.offset
    encoder = FrameEncoder(
      seed: tail.seed, chainHash: tail.chainHash, epoch: configuration.epoch, salts: configuration.randomBytes)
  }

  var segmentNumber: UInt64 { header.number }
  /// Chain hash of the last frame.
  var chainHash: Hash256 { encoder.chainHash }

  /// Writes `batch` as frames and returns when they are on the disk.
  ///
  /// - Parameter durablePosition: of what was on the disk before.
  /// - Throws: fatal; how much of the batch is on the disk, nobody knows.
  func write(_ batch: borrowing RecordBatch, durablePosition: UInt64) throws(JournalError) {
    var durablePosition = durablePosition
    for index in batch.frames.indices {
      let draft = batch.frames[index]
      if !fits(draft.frameByteCountMaximum) {
        try flush()
        durablePosition = draft.firstPosition - 1
        try roll(nextPosition: draft.firstPosition)
      }
      do {
        try encoder.append(draft, of: batch, durablePosition: durablePosition, durableOffset: offset)
      } catch {
        throw JournalError(error, file: directory.segment(header.number), offset: offset)
      }
    }
    try flush()
    if offset > header.segmentByteCount / 2 { preallocator.hurry() }
  }

  /// Writes a frame that says that all before it is on the disk.
  func confirm(nextPosition: UInt64) throws(JournalError) {
    guard fits(FrameHeader.byteCount) else { return try roll(nextPosition: nextPosition) }
    appendEmpty(seal: false, nextPosition: nextPosition)
    try flush()
  }

  /// Seals this segment, which confirms it too, and begins the next.
  func roll(nextPosition: UInt64) throws(JournalError) {
    appendEmpty(seal: true, nextPosition: nextPosition)
    try flush()
    file.close()
    let next = try Self.begin(
      after: header, chainHash: encoder.chainHash, nextPosition: nextPosition, directory: directory,
      configuration: configuration, preallocator: preallocator, waitsForRoom: true)
    file = next.file
    header = next.header
    offset = next.offset
    encoder.beginSegment(seed: next.seed)
  }

  func close() { file.close() }

  /// Gives a file of zeros its header, then its name.
  ///
  /// - Parameter previous: nil for the first segment of a journal.
  static func begin(
    after previous: SegmentHeader?, chainHash: Hash256, nextPosition: UInt64, directory: JournalDirectory,
    configuration: JournalConfiguration, preallocator: SegmentPreallocator, waitsForRoom: Bool
  ) throws(JournalError) -> RecoveredTail {
    var random: (high: UInt64, low: UInt64) = (0, 0)
    withUnsafeMutableBytes(of: &random) { configuration.randomBytes($0) }
    let header = SegmentHeader(
      segmentByteCount: configuration.segmentByteCount, number: (previous?.number ?? 0) + 1,
      id: SegmentID(high: random.high, low: random.low), previousID: previous?.id ?? .none,
      firstPosition: nextPosition, createdMilliseconds: configuration.clock(), nodeID: configuration.nodeID,
      epoch: configuration.epoch, previousHash: chainHash)
    let (page, seed) = header.encoded()
    do {
      let file = try preallocator.take(waitsForRoom: waitsForRoom)
      try file.writeArray(page, at: 0, durably: true)
      try directory.storage.rename(directory.preallocating, to: directory.segment(header.number))
      try directory.storage.synchronizeDirectory(directory.path)
      preallocator.prepare()
      return RecoveredTail(
        file: file, header: header, seed: seed, offset: FormatLimits.segmentHeaderByteCount, chainHash: chainHash)
    } catch {
      throw error.isDiskFull ? .storageFull : .storage(error)
    }
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
