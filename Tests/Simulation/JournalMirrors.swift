import EntityRuntime
import JournalFormat
import SimulatedDisk
import SystemPackage

/// The journals of all partitions, read beside the engine.
final class JournalMirrors {
  /// A record, and when it was seen: the place among all of them, from 1 on. Where there is one journal it is the record's
  /// position.
  struct Seen {
    let record: JournalMirror.Record
    let place: UInt64
    /// What has a smaller place happened before it. Records of several journals in one epoch (see `World.epoch`) have no
    /// order but what acknowledgements give them; where there is one journal it is `place`.
    let earliest: UInt64
  }

  private let mirrors: [JournalMirror]
  /// In the order in which they were seen.
  private(set) var records: [Seen] = []
  /// Of each mirror, how many of its records are among them.
  private var taken: [Int]
  /// The epoch of what was seen last, and the place of its first record.
  private var (epoch, first): (Int, UInt64) = (0, 1)

  init(directories: [FilePath]) {
    mirrors = directories.map { JournalMirror(directory: $0) }
    taken = directories.map { _ in 0 }
  }

  var isStale: Bool { mirrors.contains(where: \.isStale) }

  /// A frame was written since `catchUp`.
  func noteWrite() { for mirror in mirrors { mirror.isStale = true } }

  /// How many records each has.
  var counts: [Int] { mirrors.map(\.records.count) }

  /// Of the first one, whose tree is looked at.
  var leaves: [Hash256] { mirrors[0].leaves }

  /// See `JournalMirror.catchUp`.
  /// - Returns: the place of the first new record in `records`.
  func catchUp(on disk: MemoryDisk, epoch: Int) throws -> Int {
    let count = records.count
    if epoch != self.epoch { (self.epoch, first) = (epoch, UInt64(count) + 1) }
    for (index, mirror) in mirrors.enumerated() {
      _ = try mirror.catchUp(on: disk)
      for record in mirror.records[taken[index]...] {
        let place = UInt64(records.count) + 1
        records.append(Seen(record: record, place: place, earliest: isOrdered ? place : first))
      }
      taken[index] = mirror.records.count
    }
    return count
  }

  /// Reads the journals anew, as they are after a crash; what was seen before comes first, in its order.
  /// - Throws: `Failure` if something that was seen is not there, or is another.
  func succeeded(by found: JournalMirrors, on disk: MemoryDisk) throws {
    for (before, after) in zip(mirrors, found.mirrors) {
      _ = try after.catchUp(on: disk)
      let (known, left) = (before.records, after.records)
      guard left.count >= known.count else {
        throw Failure(.nothingAcknowledgedIsLost, "\(known.count) records were durable, \(left.count) are left")
      }
      for (before, after) in zip(known, left) where before != after && !after.isRedacted {
        throw Failure(.nothingAcknowledgedIsLost, "record \(before.position) is another one after the crash")
      }
      guard after.leaves.starts(with: before.leaves) else {
        throw Failure(.treeIsOfTheRecords, "a leaf is another one after the crash")
      }
    }
    found.records = records
    found.taken = taken
  }

  /// There is one journal, and so one order of all records.
  var isOrdered: Bool { mirrors.count == 1 }
}

extension Placement {
  /// Where the simulation's journals are.
  func journalDirectories(below data: FilePath) -> [FilePath] {
    count == 1
      ? [data.appending("journal")]
      : (0..<count).map { data.appending("p000\($0)").appending("journal") }
  }
}
