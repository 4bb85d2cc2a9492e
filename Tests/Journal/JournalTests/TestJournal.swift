import JournalFormat
import SystemPackage

@testable import Journal

/// A journal on a disk in memory, with what its start replayed.
struct TestJournal {
  let writer: JournalWriter
  let report: RecoveryReport
  let replayed: [PendingRecord]
  let fatal: FatalLog

  static let directory: FilePath = "/journal"

  /// - Parameter epoch: in which it is to be written, from now on.
  init(
    _ storage: any JournalStorage, directory: FilePath = Self.directory, segmentByteCount: Int = 64 * 1024,
    epoch: UInt32? = nil, _ change: (inout JournalConfiguration) -> Void = { _ in }
  ) throws {
    if let epoch {
      try storage.createDirectory(directory)
      try EpochStore(directory: directory, storage: storage)
        .write(JournalEpoch(role: .primary, own: epoch, told: epoch))
    }
    var configuration = JournalConfiguration()
    configuration.segmentByteCount = segmentByteCount
    // Long enough that no test meets it by accident.
    configuration.idleInterval = .seconds(600)
    configuration.lazyInterval = .seconds(600)
    configuration.randomBytes = predictableBytes(seed: 11)
    configuration.clock = { 1_700_000_000_000 }
    change(&configuration)
    var replayed: [PendingRecord] = []
    let fatal = FatalLog()
    (writer, report) = try JournalWriter.open(
      directory: directory, configuration: configuration, storage: storage, onFatal: fatal.handler,
      replay: { replayed.append(PendingRecord($0)) })
    self.replayed = replayed
    self.fatal = fatal
  }

  /// Appends in units of `unit` and waits for each.
  func write(_ records: [PendingRecord], unit: Int = 5) throws {
    var rest = records[...]
    while !rest.isEmpty {
      try writer.waitUntilDurable(try writer.append(Array(rest.prefix(unit)), lazy: true))
      rest = rest.dropFirst(unit)
    }
  }
}

/// Opens a gate when it is released.
final class GateOpener: DurabilityWaiter {
  let gate = Gate()
  func wasLost() {}

  func becameDurable(position: UInt64) { gate.open() }
}

/// What a journal on `storage` holds, by a reader that checks all hashes.
func readBack(_ storage: any JournalStorage, directory: FilePath = TestJournal.directory) throws -> [PendingRecord] {
  var found: [PendingRecord] = []
  try JournalReader(directory: directory, storage: storage)
    .walk(checkingHashes: true, record: { found.append(PendingRecord($0)) })
  return found
}

let firstSegment = "000000000001.segment"
let secondSegment = "000000000002.segment"

/// The last four bytes of a segment header that was changed on purpose.
enum SegmentHeaderChecksum {
  static func compute(_ bytes: UnsafeRawBufferPointer) -> [UInt8] {
    var crc: UInt32 = .max
    for byte in bytes[..<4092] {
      crc ^= UInt32(byte)
      for _ in 0..<8 { crc = (crc >> 1) ^ (crc & 1 == 1 ? 0x82F6_3B78 : 0) }
    }
    return withUnsafeBytes(of: (~crc).littleEndian) { Array($0) }
  }
}
