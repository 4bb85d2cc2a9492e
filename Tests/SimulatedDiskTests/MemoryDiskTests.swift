import Journal
import SimulatedDisk
import Synchronization
import SystemPackage
import Testing

@Suite("A disk in memory")
struct MemoryDiskTests {
  private static let file: FilePath = "/d/a.segment"

  /// A disk with one durable file of `byte`s.
  private static func disk(_ byte: UInt8 = 1, count: Int = 4096, sector: Int = 512) throws -> MemoryDisk {
    let disk = MemoryDisk(sectorByteCount: sector)
    try disk.createDirectory("/d")
    let file = try disk.open(file, .create)
    try file.put([UInt8](repeating: byte, count: count), at: 0)
    try file.synchronize()
    try disk.synchronizeDirectory("/d")
    return disk
  }

  /// The contents of the file after many losses of power.
  private static func outcomes(_ disk: MemoryDisk, _ path: FilePath = file) -> [[UInt8]?] {
    (0..<200).map { disk.powerLoss(seed: $0).contents(of: path) }
  }

  @Test("what was synced survives every loss of power", arguments: [512, 4096])
  func synced(sector: Int) throws {
    let disk = try Self.disk(sector: sector)
    #expect(Self.outcomes(disk).allSatisfy { $0 == [UInt8](repeating: 1, count: 4096) })
  }

  @Test("a durable write survives, what was written before it without a sync need not")
  func durableWrite() throws {
    let disk = try Self.disk()
    let file = try disk.open(Self.file, .readWrite)
    try file.put([UInt8](repeating: 2, count: 512), at: 0)
    try file.put([UInt8](repeating: 3, count: 512), at: 1024, durably: true)
    let outcomes = Self.outcomes(disk).map { $0 ?? [] }
    #expect(outcomes.allSatisfy { $0[1024..<1536].allSatisfy { $0 == 3 } && $0[1536...].allSatisfy { $0 == 1 } })
    #expect(outcomes.contains { $0[0] == 1 && $0[511] == 1 })
    #expect(outcomes.contains { $0[0] == 2 && $0[511] == 2 })
  }

  @Test("unsynced sectors survive in any combination, and only their written bytes are garbled")
  func sectors() throws {
    let disk = try Self.disk()
    try disk.open(Self.file, .readWrite).put([UInt8](repeating: 2, count: 1500), at: 100)
    let outcomes = Self.outcomes(disk).map { $0 ?? [] }
    #expect(outcomes.allSatisfy { $0[..<100].allSatisfy { $0 == 1 } && $0[1600...].allSatisfy { $0 == 1 } })
    #expect(outcomes.contains { $0[100] == 2 && $0[600] == 1 })
    #expect(outcomes.contains { $0[100] == 1 && $0[600] == 2 })
    #expect(outcomes.contains { $0[100..<1600].contains { $0 > 2 } })
  }

  @Test("a new file, a rename and a removal need a sync of the directory")
  func entries() throws {
    let disk = try Self.disk()
    let made = try disk.open("/d/new", .create)
    try made.put([7], at: 0)
    try made.synchronize()
    let created = Self.outcomes(disk, "/d/new")
    #expect(created.contains(nil) && created.contains([7]))
    try disk.synchronizeDirectory("/d")
    #expect(Self.outcomes(disk, "/d/new").allSatisfy { $0 == [7] })
    try disk.rename("/d/new", to: "/d/named")
    for seed in 0..<100 {
      let after = disk.powerLoss(seed: UInt64(seed))
      #expect((after.contents(of: "/d/new") == nil) == (after.contents(of: "/d/named") != nil))
    }
    try disk.remove(Self.file)
    let removed = Self.outcomes(disk)
    #expect(removed.contains(nil) && removed.contains { $0 != nil })
  }

  @Test("a file grows for certain only when it is synced")
  func growth() throws {
    let disk = try Self.disk(count: 512)
    try disk.open(Self.file, .readWrite).put([UInt8](repeating: 2, count: 512), at: 512)
    let sizes = Set(Self.outcomes(disk).map { $0?.count ?? -1 })
    #expect(sizes == [512, 1024])
  }

  @Test("a killed process leaves all that it wrote, and syncs none of it")
  func crash() throws {
    let disk = try Self.disk()
    try disk.open(Self.file, .readWrite).put([9], at: 0)
    let after = disk.crash()
    #expect(after.contents(of: Self.file)?[0] == 9)
    #expect(Self.outcomes(after).contains { $0?[0] == 1 })
  }

  @Test("a sync that failed makes nothing durable, and neither does the next one")
  func failedSync() throws {
    let disk = try Self.disk()
    let file = try disk.open(Self.file, .readWrite)
    try file.put([9], at: 0)
    disk.set(fault: DiskFault(.fail(.ioError)) { $0.operation == .synchronize })
    #expect(throws: StorageError.self) { try file.synchronize() }
    try file.synchronize()
    #expect(Self.outcomes(disk).contains { $0?[0] == 1 })
  }

  @Test("a full disk writes what fits, then nothing, until there is room")
  func full() throws {
    let disk = try Self.disk(count: 512)
    disk.capacity = 1000
    let file = try disk.open(Self.file, .readWrite)
    let bytes = [UInt8](repeating: 5, count: 1000)
    #expect(try bytes.withUnsafeBytes { try file.write($0, at: 512, durably: false) } == 488)
    #expect(throws: StorageError(.noSpace, .write, Self.file)) { try file.put([1], at: 1000) }
    try file.put([1], at: 0)
    disk.capacity = .max
    try file.put([1], at: 1000)
    #expect(disk.usedByteCount == 1001)
  }

  @Test("zeros of a fresh file are read as zeros, and written over")
  func zeros() throws {
    let disk = MemoryDisk()
    try disk.createDirectory("/d")
    let file = try disk.open("/d/z", .create)
    try file.put([UInt8](repeating: 0, count: 1 << 20), at: 0)
    try file.put([1, 2, 3], at: 70_000, durably: true)
    let bytes = try #require(disk.contents(of: "/d/z"))
    #expect(bytes.count == 1 << 20)
    #expect(bytes.indices.filter { bytes[$0] != 0 } == [70_000, 70_001, 70_002])
  }

  @Test("calls have names, and the same seed gives the same disk")
  func names() throws {
    let disk = MemoryDisk()
    let names = Mutex<[String]>([])
    disk.set(hook: { call, moment in
      if moment == .before { names.withLock { $0.append(call.name) } }
    })
    try disk.createDirectory("/data/journal/archive")
    try disk.open("/data/journal/next.preallocating", .create).put([1], at: 0, durably: true)
    try disk.rename("/data/journal/next.preallocating", to: "/data/journal/archive/000000000001.segment")
    try disk.open("/data/journal/archive/000000000001.segment", .readWrite).synchronize()
    try disk.synchronizeDirectory("/data/journal")
    disk.set(hook: nil)
    #expect(
      names.withLock { $0 } == [
        "archive-directory.createDirectory", "preallocating.open", "preallocating.write", "preallocating.rename",
        "archive-segment.open", "archive-segment.synchronize", "directory.synchronizeDirectory",
      ])
    for seed in 0..<20 as Range<UInt64> {
      let (one, other) = (disk.powerLoss(seed: seed), disk.powerLoss(seed: seed))
      #expect(one.paths == other.paths)
      #expect(one.paths.map(one.contents) == other.paths.map(other.contents))
    }
  }

  @Test("a crash point strikes in the middle of the write it names")
  func crashPoint() throws {
    let disk = try Self.disk(count: 10)
    let strikes = Mutex(0)
    let storage = CrashPointStorage(disk, at: CrashPoint("segment.write", .middle, occurrence: 2)) {
      strikes.withLock { $0 += 1 }
      // What a kill would leave.
      #expect(disk.contents(of: Self.file) == [3, 3, 3, 3, 3, 2, 2, 2, 2, 2])
    }
    let file = try storage.open(Self.file, .readWrite)
    try file.put([UInt8](repeating: 2, count: 10), at: 0)
    try file.put([UInt8](repeating: 3, count: 10), at: 0)
    #expect(strikes.withLock { $0 } == 1)
    #expect(storage.callCounts["segment.write"] == 2)
  }
}

extension StorageFile {
  /// Writes all at once, or fails the test's expectation of it.
  fileprivate func put(_ bytes: [UInt8], at offset: Int, durably: Bool = false) throws {
    let count = try bytes.withUnsafeBytes { try write($0, at: offset, durably: durably) }
    #expect(count == bytes.count)
  }
}
