import Journal
import JournalFormat
import SimulatedDisk
import SystemPackage

/// A whole journal with every kind of file, and how an enemy changes a number in one of them and mends the checksums.
struct ForgedFiles: Sendable {
  /// A number in a file.
  struct Field: Sendable, CustomStringConvertible {
    enum Structure: String, Sendable {
      case packedHeader, packedBlock, snapshotHeader, snapshotBlock, snapshotFooter, record
    }

    var structure: Structure
    /// From the beginning of the structure.
    var offset: Int
    /// In bytes; 0 for a varint.
    var width: Int

    var description: String { "\(structure.rawValue), field at \(offset)" }
  }

  static let fields: [Field] = {
    func fields(_ structure: Field.Structure, _ list: [(Int, Int)]) -> [Field] {
      list.map { Field(structure: structure, offset: $0.0, width: $0.1) }
    }
    return fields(
      .packedHeader,
      [(8, 4), (12, 4), (16, 8), (24, 8), (32, 8), (40, 4), (44, 4), (128, 8), (136, 8), (176, 8), (200, 4)])
      + fields(.packedBlock, [(8, 4), (12, 4), (16, 4), (20, 4), (24, 4), (28, 4), (32, 8), (40, 8)])
      + fields(.snapshotHeader, [(8, 4), (12, 4), (16, 8), (24, 8), (32, 8), (80, 8)])
      + fields(.snapshotBlock, [(0, 4), (8, 4), (12, 4), (16, 4)])
      + fields(.snapshotFooter, [(8, 8), (16, 8), (24, 8), (32, 8), (40, 8), (48, 8), (56, 4)])
      + fields(.record, (0..<12).map { ($0, 0) })
  }()

  private let files: [FilePath: [UInt8]]
  private let history: History
  let packed: FilePath
  let snapshot: FilePath
  /// The segment that is being written.
  let plain: FilePath
  /// Of a frame in `plain` whose records are stored as they are.
  private let rawFrame: Int

  init(seed: UInt64) throws {
    let disk = MemoryDisk()
    let journal = try SteppedJournal(disk, seed: seed)
    var samples = SampleRecords(seed: seed)
    var history = History()
    func append(_ unit: [PendingRecord]) throws {
      _ = try journal.writer.append(unit, lazy: true)
      history.append(unit)
      journal.writer.step()
    }
    let upkeep = Upkeep(storage: disk)
    for _ in 0..<60 { try append(samples.next(5)) }
    _ = try journal.writer.roll()
    try upkeep.pack()
    try upkeep.redact("412-3", in: journal.writer)
    history.redacting["412-3"] = history.records.count
    history.redacted["412-3"] = history.records.count
    // A record so short that no compression shortens it.
    try append([
      PendingRecord(
        kind: 1, key: "412-1", sequence: 900, timeMilliseconds: 1_700_000_000_900, tag: 3, payload: [7, 9, 1])
    ])
    try upkeep.snapshot(of: journal.writer)
    try append(samples.next(5))
    try journal.writer.close()
    history.acknowledged = history.records.count
    self.history = history
    let files = Dictionary(uniqueKeysWithValues: disk.paths.map { ($0, disk.contents(of: $0) ?? []) })
    self.files = files
    func only(_ suffix: String) throws -> FilePath {
      guard let path = files.keys.filter({ $0.string.hasSuffix(suffix) }).max(by: { $0.string < $1.string }) else {
        throw ScriptViolation("there is no \(suffix)")
      }
      return path
    }
    packed = try only(".packed")
    snapshot = try only(".snapshot")
    plain = try only(".segment")
    var raw: Int?
    try JournalReader(directory: SteppedJournal.directory, storage: disk).forEachFrame { frame in
      if frame.header.codec == .raw, frame.header.recordCount > 0 { raw = frame.offset }
    }
    guard let raw else { throw ScriptViolation("there is no frame that is stored as it is") }
    rawFrame = raw
  }

  /// Bits of a file.
  func bitCount(of path: FilePath) -> Int { (files[path]?.count ?? 0) * 8 }

  /// What becomes of a number that an enemy wrote, with the checksums mended.
  func judge(_ field: Field, _ value: UInt64) -> String? {
    switch field.structure {
    case .packedHeader, .packedBlock: judge(packed) { forgePacked(&$0, field, value) }
    case .snapshotHeader, .snapshotBlock, .snapshotFooter: judge(snapshot) { forgeSnapshot(&$0, field, value) }
    case .record: judge(plain) { forgeRecord(&$0, field, value) }
    }
  }

  /// What a reader and a start make of a changed file: nil if each refuses in an orderly way, or finds the truth.
  ///
  /// - Parameter isForged: the checksums are right, so that a snapshot may say what its enemy wants it to say.
  func judge(_ path: FilePath, isForged: Bool = true, _ change: (inout [UInt8]) -> Void) -> String? {
    let disk = MemoryDisk()
    for (path, bytes) in files { disk.setContents(of: path, to: bytes) }
    disk.update(path, change)
    var found: [FoundRecord] = []
    do {
      found = try SteppedJournal.read(disk)
      if let wrong = history.judge(found) { return "a reader: \(wrong)" }
    } catch let error as JournalError where error.namesFile {
    } catch { return "a reader throws \(error)" }
    do {
      let journal = try SteppedJournal(disk)
      try journal.writer.close()
    } catch let error as JournalError where error.namesFile {
    } catch { return "a start throws \(error)" }
    do {
      let wrong = try Upkeep(storage: disk).checkSnapshots(found)
      if let wrong, !isForged, !found.isEmpty { return wrong }
    } catch is SnapshotError {
    } catch let error as JournalError where error.namesFile {
    } catch JournalError.foreignStartingPoint, JournalError.startingPointBeyondEnd {
    } catch { return "a snapshot throws \(error)" }
    return nil
  }

  private func put(_ value: UInt64, _ field: Field, at start: Int, _ bytes: inout [UInt8]) {
    switch field.width {
    case 0:
      var (rest, offset) = (value, start + field.offset)
      while offset < bytes.count {
        bytes[offset] = UInt8(truncatingIfNeeded: rest & 0x7F) | (rest > 0x7F ? 0x80 : 0)
        rest >>= 7
        offset += 1
        if rest == 0 { break }
      }
    case 4: bytes.store(UInt32(truncatingIfNeeded: value), at: start + field.offset)
    default: bytes.store(value, at: start + field.offset)
    }
  }

  private func forgePacked(_ bytes: inout [UInt8], _ field: Field, _ value: UInt64) {
    let headerByteCount = 256
    put(value, field, at: field.structure == .packedHeader ? 0 : headerByteCount, &bytes)
    bytes.store(Checksum.crc32c(bytes[..<252]), at: 252)
    // The checksum of each block continues that of the one before.
    var seed = Checksum.crc32c(bytes[128..<240])
    var offset = headerByteCount
    while offset + 80 <= bytes.count {
      let lengths = [16, 24].map { Int(bytes.load(UInt32.self, at: offset + $0)) }
      let end = offset + 80 + lengths.reduce(0, +) + 16 * Int(bytes.load(UInt32.self, at: offset + 12))
      guard end <= bytes.count else { return }
      seed = Checksum.crc32c(bytes[(offset + 8)..<end], seed: seed)
      bytes.store(seed, at: offset + 4)
      offset = end
    }
  }

  private func forgeSnapshot(_ bytes: inout [UInt8], _ field: Field, _ value: UInt64) {
    let (headerByteCount, blockHeader, footer) = (4096, 20, bytes.count - 80)
    if field.structure == .snapshotHeader { put(value, field, at: 0, &bytes) }
    if field.structure == .snapshotBlock { put(value, field, at: headerByteCount, &bytes) }
    let seed = Checksum.crc32c(bytes[..<4092])
    bytes.store(seed, at: 4092)
    var offset = headerByteCount
    while offset + blockHeader <= footer {
      let end = offset + blockHeader + Int(bytes.load(UInt32.self, at: offset + 8))
      guard end <= footer else { break }
      bytes.store(Checksum.crc32c(bytes[(offset + 8)..<end], seed: seed), at: offset + 4)
      offset = end
    }
    bytes.store(Checksum.crc32c(bytes[..<footer]), at: footer + 56)
    if field.structure == .snapshotFooter { put(value, field, at: footer, &bytes) }
    bytes.store(Checksum.crc32c(bytes[footer..<(footer + 76)], seed: seed), at: footer + 76)
  }

  private func forgeRecord(_ bytes: inout [UInt8], _ field: Field, _ value: UInt64) {
    let body = Int(bytes.load(UInt32.self, at: rawFrame + 8))
    let records = rawFrame + FrameHeader.byteCount + 16 * Int(bytes.load(UInt32.self, at: rawFrame + 16))
    put(value, field, at: records, &bytes)
    let end = rawFrame + FrameHeader.byteCount + body
    let seed = bytes.load(UInt32.self, at: 4092)
    bytes.store(Checksum.crc32c(bytes[(rawFrame + 8)..<end], seed: seed), at: rawFrame + 4)
  }
}
