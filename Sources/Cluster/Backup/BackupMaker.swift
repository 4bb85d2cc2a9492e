internal import Journal
internal import JournalFormat
internal import StandbyEngine
internal import StandbyWire
public import SystemPackage

/// Copies a data directory beside its server, which knows nothing of it, or while there is none.
///
/// ```
///   copy what is there ──> where does the journal end? ──> has anything changed since it was copied? ── no ──> the last
///            ^                                                              │                               segment, up to
///            └──────────────────────── yes ─────────────────────────────────┘                               that end
/// ```
/// Files are only ever added before a record names them, and removed after a record has let them go: so what was there
/// both before and behind the end of the journal is all that the journal up to there needs. Calls block.
public struct BackupMaker {
  /// What was done.
  public struct Report: Sendable, Equatable {
    public let manifest: BackupManifest
    /// Files whose content was not there already.
    public fileprivate(set) var copiedCount = 0
    public fileprivate(set) var copiedByteCount = 0
  }

  private let data: FilePath
  private let directory: ServedDirectory
  private let reader: JournalReader
  private let target: any BackupTarget
  private let version: String
  private let now: () -> Int64
  private var copied: [StandbyPath: BackupManifest.File] = [:]
  private var former: [StandbyPath: BackupManifest.File] = [:]
  private var (copiedCount, copiedByteCount) = (0, 0)

  /// - Parameters:
  ///   - data: the data directory.
  ///   - archive: of the journal; `archive` below its directory if nil.
  ///   - version: of the program, without spaces.
  ///   - now: milliseconds since 1970.
  public init(
    _ data: FilePath, archive: FilePath?, into folder: BackupFolder, version: String, now: @escaping () -> Int64
  ) {
    self.init(data, archive, folder, version, now)
  }

  public init(
    _ data: FilePath, archive: FilePath?, into stream: BackupStream, version: String, now: @escaping () -> Int64
  ) {
    self.init(data, archive, stream, version, now)
  }

  private init(
    _ data: FilePath, _ archive: FilePath?, _ target: any BackupTarget, _ version: String, _ now: @escaping () -> Int64
  ) {
    self.data = data
    directory = ServedDirectory(data: data, archive: archive)
    reader = JournalReader(directory: data.appending("journal"), archive: archive)
    (self.target, self.version, self.now) = (target, version, now)
  }

  /// - Throws: `BackupError`; `JournalError`, `StorageError`, `FormatError`; what the stream throws.
  public mutating func run() throws -> Report {
    guard var end = try reader.end() else { throw BackupError.noJournal(data.appending("journal")) }
    if let manifest = target.former {
      try judge(manifest, end)
      former = Dictionary(manifest.files.map { ($0.place, $0) }) { first, _ in first }
    }
    for _ in 0..<BackupLimits.roundCountMaximum {
      try copy(before: end.segment)
      let before = end
      let live = try liveSegment()
      guard let now = try reader.end() else { throw BackupError.noJournal(data.appending("journal")) }
      end = now
      guard try isWhole(at: end, since: before.position), let live, try liveSegment()?.file.inode == live.file.inode,
        live.place.segment == end.segment, try directory.id(of: live.file, live.place) == end.segmentID
      else { continue }
      if case .segment(_, isPacked: false, isArchived: false) = live.place {
        try put(BackupSource(live.file, upTo: min(end.offset, live.file.byteCount)), live.place)
      } else {
        try put(BackupSource(live.file), live.place)
      }
      return try finish(at: end)
    }
    throw BackupError.restless
  }

  /// Whether the backup that is there is one of this journal, and of no later moment.
  private func judge(_ manifest: BackupManifest, _ end: CopyEnd) throws {
    let place = FilePath((target as? BackupFolder)?.path.string ?? "")
    let isShorter = manifest.end.segmentNumber > end.segment
    // Of a journal that lacks the backup's last segment, the oldest one tells whose it is.
    let known =
      isShorter
      ? manifest.instance : SegmentName(number: manifest.end.segmentNumber, id: manifest.end.segmentID)
    guard try reader.segmentID(of: known.number) == known.id else { throw BackupError.otherInstance(place) }
    guard !isShorter, manifest.end.position <= end.position else {
      throw BackupError.ahead(backup: manifest.end.position, journal: end.position)
    }
    guard try reader.holds(manifest.end) else { throw BackupError.parted(position: manifest.end.position) }
  }

  // MARK: Copying

  private func segments(before number: UInt64) throws -> [StandbyPath] {
    try directory.segmentsRead().filter { ($0.segment ?? 0) < number }
  }

  /// The last one, as it is now.
  private func liveSegment() throws -> (place: StandbyPath, file: ServedFile)? {
    guard let number = try reader.end()?.segment,
      let place = try directory.segmentsRead().first(where: { $0.segment == number }),
      let file = try directory.openIfThere(place)
    else { return nil }
    return (place, file)
  }

  /// All that is there but the segment that is being written. Blobs first, which are the most.
  private mutating func copy(before number: UInt64) throws {
    let places =
      try directory.blobs(after: "", count: BackupLimits.blobCountMaximum) + segments(before: number)
      + directory.smallFiles()
    // What is gone was let go by a record before the end that is looked at next.
    let there = Set(places)
    copied = copied.filter { there.contains($0.key) }
    for place in places {
      guard let file = try directory.openIfThere(place) else {
        copied[place] = nil
        continue
      }
      guard copied[place]?.version != file.version else { continue }
      // Of the segment that was being written, a version may be older than the last write: clocks of files are coarse.
      if let known = former[place], place.segment != target.former?.end.segmentNumber, known.version == file.version,
        known.byteCount == file.byteCount,
        try target.has(known)
      {
        copied[place] = known
      } else {
        try put(BackupSource(file), place)
      }
    }
  }

  private mutating func put(_ source: BackupSource, _ place: StandbyPath) throws {
    let hash = try target.put(source, at: place.text)
    copied[place] = BackupManifest.File(
      place, byteCount: source.totalByteCount, hash: hash, version: source.file.version)
    copiedCount += 1
    copiedByteCount += source.byteCount
  }

  // MARK: Judging

  /// Whether all that the journal up to `end` needs was copied, but for its last segment.
  ///
  /// - Parameter position: the end of the journal before all was copied.
  private func isWhole(at end: CopyEnd, since position: UInt64) throws -> Bool {
    let segments = try segments(before: end.segment)
    let numbers = segments.compactMap(\.segment)
    let first = numbers.first ?? end.segment
    guard zip(numbers, first...).allSatisfy({ $0 == $1 }), UInt64(numbers.count) == end.segment - first,
      try areCopied(segments), Set(copied.keys.filter { $0.segment.map { $0 < end.segment } ?? false }) == Set(segments)
    else { return false }
    // Tokens may be changed at any time, and an erasure begin; snapshots that are newer than the end may not come with it.
    let others = try directory.smallFiles().filter(Self.isAwaited)
    guard try areCopied(others), Set(copied.keys.filter(Self.isAwaited)).isSubset(of: others) else { return false }
    guard try isStartable(from: segments.first) else { return false }
    return try reader.blobsNamed(after: position, upTo: end.position).allSatisfy { copied[.blob($0)] != nil }
  }

  /// As they are now. A file that was never made is none.
  private func areCopied(_ places: [StandbyPath]) throws -> Bool {
    for place in places {
      let version = try directory.openIfThere(place)?.version
      guard version == copied[place]?.version else { return false }
    }
    return true
  }

  private static func isAwaited(_ place: StandbyPath) -> Bool {
    switch place {
    case .tokens, .providerToken, .redactionIntent: true
    case .segment, .snapshot, .edge, .blob, .checkpoint: false
    }
  }

  /// Whether there is a snapshot to start from where the beginning was deleted.
  private func isStartable(from oldest: StandbyPath?) throws -> Bool {
    guard let oldest, let file = try directory.openIfThere(oldest) else { return true }
    let firstPosition = try directory.firstPosition(of: file, oldest)
    return firstPosition <= 1
      || copied.keys.contains {
        if case .snapshot(let position) = $0 { position + 1 >= firstPosition } else { false }
      }
  }

  // MARK: The end

  private func finish(at end: CopyEnd) throws -> Report {
    guard let oldest = copied.keys.filter({ $0.segment != nil }).min(by: { ($0.segment ?? 0) < ($1.segment ?? 0) }),
      let number = oldest.segment, let id = try reader.segmentID(of: number)
    else { throw BackupError.restless }
    let epoch = try EpochStore(directory: data.appending("journal")).read()
    let manifest = BackupManifest(
      madeBy: version, madeAt: now(), instance: SegmentName(number: number, id: id),
      ownEpoch: max(epoch?.own ?? 1, end.epoch, 1), toldEpoch: max(epoch?.told ?? 1, epoch?.own ?? 1, end.epoch, 1),
      end: JournalPoint(
        position: end.position, chainHash: end.chainHash, segmentNumber: end.segment, segmentID: end.segmentID),
      files: Array(copied.values))
    try target.finish(manifest)
    var report = Report(manifest: manifest)
    (report.copiedCount, report.copiedByteCount) = (copiedCount, copiedByteCount)
    return report
  }
}
