import JournalFormat
import SystemPackage
import TestSupport

@testable import Journal

/// What is put into a snapshot and expected back.
struct SampleEntity: Equatable {
  var kind: UInt8
  var key: String
  var sequence: UInt64
  var brief: [UInt8] = []
  /// Nil for a finished one.
  var state: [UInt8]?
}

/// Entities of all kinds, some finished, some with an empty state; what one is depends on its number only.
func sampleEntities(_ count: Int, stateByteCountMaximum: Int = 600) -> [SampleEntity] {
  (0..<count).map { index in
    var generator = SeededGenerator(seed: UInt64(index) &* 7_919)
    var entity = SampleEntity(
      kind: UInt8(index % 5 + 1), key: "grüße-\(index)", sequence: generator.next() >> UInt64(index % 64))
    guard index % 7 != 3 else { return entity }
    entity.brief = (0..<(index % 40)).map { _ in UInt8.random(in: 0...255, using: &generator) }
    let words = Array("your parcel is on its way ".utf8)
    let length = index % 11 == 5 ? 0 : Int.random(in: 0...stateByteCountMaximum, using: &generator)
    entity.state = (0..<length).map { $0 % 9 == 0 ? UInt8.random(in: 0...255, using: &generator) : words[$0 % 26] }
    return entity
  }
}

let samplePoint = JournalPoint(
  position: 4711, chainHash: .zero, segmentNumber: 3, segmentID: SegmentID(high: 5, low: 6))
let samplePath: FilePath = "/journal/snapshots/00000000000000004711.snapshot"
let sampleName = "snapshots/00000000000000004711.snapshot"

extension SnapshotStore {
  init(_ storage: FaultyStorage, keeping: Int = 2) {
    self.init(directory: TestJournal.directory, storage: storage, keeping: keeping)
  }

  @discardableResult
  func write(_ entities: [SampleEntity], at point: JournalPoint = samplePoint) throws -> SnapshotInfo {
    let writer = try begin(at: point, createdMilliseconds: 1_700_000_000_000)
    for entity in entities { try writer.add(entity) }
    return try writer.finish()
  }

  func openSample() throws(SnapshotError) -> Snapshot { try open(file(at: samplePoint.position)) }
}

extension SnapshotWriter {
  func add(_ entity: SampleEntity) throws(StorageError) {
    if let state = entity.state {
      try add(kind: entity.kind, key: entity.key, sequence: entity.sequence, brief: entity.brief, state: state)
    } else {
      try addFinished(kind: entity.kind, key: entity.key, sequence: entity.sequence)
    }
  }
}

extension Snapshot {
  /// All entities, each state read by itself.
  func entities() throws -> [SampleEntity] {
    var found: [SampleEntity] = []
    try forEachEntry { entry in
      found.append(
        SampleEntity(
          kind: entry.kind, key: entry.key, sequence: entry.sequence, brief: entry.brief,
          state: entry.isFinished ? nil : try state(at: entry.place)))
    }
    return found
  }
}
