import Journal
import JournalFormat
import SimulatedDisk
import SystemPackage

/// A journal of one segment that was closed properly, to be damaged.
struct IntactJournal: Sendable {
  static let segment = SteppedJournal.directory.appending("000000000001.segment")

  let bytes: [UInt8]
  let records: [PendingRecord]
  /// End of each frame, empty ones too, and the records before it.
  let frameEnds: [(offset: Int, recordCount: Int)]

  /// Fills the segment to `fillPercent`, each unit in a frame of its own.
  init(segmentByteCount: Int, seed: UInt64, fillPercent: Int = 80) throws {
    let disk = MemoryDisk()
    var configuration = JournalConfiguration()
    configuration.segmentByteCount = segmentByteCount
    configuration.isStepped = true
    configuration.randomBytes = SteppedJournal.predictableBytes(seed: seed)
    configuration.clock = { 1_700_000_000_000 }
    let (writer, _) = try JournalWriter.open(
      directory: SteppedJournal.directory, configuration: configuration, storage: disk, onFatal: { _ in },
      replay: { _ in })
    var samples = SampleRecords(seed: seed)
    var records: [PendingRecord] = []
    var stored = 0
    var count = 0
    while stored < segmentByteCount * fillPercent / 100 {
      let unit = samples.next(1 + count % 7)
      records += unit
      count += 1
      _ = try writer.append(unit, lazy: true)
      writer.step(confirming: count % 5 == 0)
      if count % 8 == 0 {
        stored = 4096
        try JournalReader(directory: SteppedJournal.directory, storage: disk).forEachFrame {
          stored = $0.offset + $0.header.byteCount
        }
      }
    }
    try writer.close()
    self.records = records
    var ends: [(offset: Int, recordCount: Int)] = []
    try JournalReader(directory: SteppedJournal.directory, storage: disk).forEachFrame { frame in
      ends.append((frame.offset + frame.header.byteCount, Int(frame.header.endPosition - 1)))
    }
    frameEnds = ends
    bytes = disk.contents(of: Self.segment) ?? []
  }

  /// Where the log ends.
  var end: Int { frameEnds.last?.offset ?? FormatLimits.segmentHeaderByteCount }

  /// Records of the frames that are whole before `offset`.
  func recordCount(before offset: Int) -> Int { frameEnds.last { $0.offset <= offset }?.recordCount ?? 0 }

  /// A disk that holds these bytes as the segment.
  func disk(with bytes: [UInt8]) -> MemoryDisk {
    let disk = MemoryDisk()
    disk.setContents(of: Self.segment, to: bytes)
    return disk
  }

  /// What a start makes of the disk: how many records, all of them the right ones; or how it refuses.
  func start(on disk: MemoryDisk) -> Outcome {
    do {
      let journal = try SteppedJournal(disk)
      let found = journal.replayed
      try journal.writer.close()
      guard found.count <= records.count, zip(found, records).allSatisfy({ $0.record == $1 && !$0.isRedacted })
      else { return .wrong("a start replays other records than were appended") }
      return .records(found.count)
    } catch let error as JournalError {
      return .refused(error)
    } catch {
      return .wrong("a start throws \(error)")
    }
  }

  /// The same by a reader that checks everything.
  func read(_ disk: MemoryDisk) -> Outcome {
    do {
      let found = try SteppedJournal.read(disk)
      guard found.count <= records.count, zip(found, records).allSatisfy({ $0.record == $1 && !$0.isRedacted })
      else { return .wrong("a reader finds other records than were appended") }
      return .records(found.count)
    } catch let error as JournalError {
      return .refused(error)
    } catch {
      return .wrong("a reader throws \(error)")
    }
  }

  enum Outcome: Equatable {
    case records(Int)
    case refused(JournalError)
    case wrong(String)
  }
}

extension JournalError {
  /// Names the file that an operator has to look at.
  var namesFile: Bool {
    switch self {
    case .damaged, .halfCopied, .cutShort, .foreignFile, .newerVersion, .missingSegment, .brokenSequence,
      .historyChanged, .epochFell:
      true
    default: false
    }
  }
}
