import Journal
import SimulatedDisk
import SystemPackage
import Testing

@Suite("Checkpoints that are kept")
struct CheckpointStoreTests {
  private static let directory: FilePath = "/data/checkpoints"

  private static func store(_ disk: MemoryDisk) -> CheckpointStore {
    CheckpointStore(directory: directory, storage: disk)
  }

  private static func bytes(_ store: CheckpointStore) throws -> [UInt64: [UInt8]] {
    Dictionary(uniqueKeysWithValues: try store.all().map { ($0.size, $0.bytes) })
  }

  @Test("they come back by their size, the smallest first, and each takes the place of the one before")
  func kept() throws {
    let store = Self.store(MemoryDisk())
    #expect(try store.all().isEmpty)
    try store.store([3], size: 300)
    try store.store([1], size: 10)
    try store.store([2], size: UInt64(Int64.max))
    try store.store([4, 4], size: 10)
    #expect(try store.all().map(\.size) == [10, 300, UInt64(Int64.max)])
    #expect(try Self.bytes(store) == [10: [4, 4], 300: [3], UInt64(Int64.max): [2]])
    try store.remove([300, 7])
    #expect(try store.all().map(\.size) == [10, UInt64(Int64.max)])
  }

  @Test("what has another name is passed over")
  func otherNames() throws {
    let disk = MemoryDisk()
    let store = Self.store(disk)
    try store.store([1], size: 10)
    for name in [
      "00000000000000000011.checkpoint.writing", "11.checkpoint", "README", "+0000000000000000012.checkpoint",
    ] {
      _ = try disk.open(Self.directory.appending(name), .create)
    }
    #expect(try store.all().map(\.size) == [10])
  }

  @Test("after a loss of power each is there as it was acknowledged, or as it was to be: never in parts")
  func powerLoss() throws {
    let disk = MemoryDisk()
    let store = Self.store(disk)
    let (old, new) = ([UInt8](repeating: 1, count: 5_000), [UInt8](repeating: 2, count: 6_000))
    try store.store(old, size: 10)
    let snapshots = Moments()
    disk.set(hook: { _, _ in snapshots.add(disk) })
    try store.store(new, size: 10)
    try store.store(old, size: 20)
    disk.set(hook: nil)
    #expect(snapshots.disks.count > 10)
    for (moment, then) in snapshots.disks.enumerated() {
      for seed in 0..<UInt64(20) {
        let found = try Self.bytes(Self.store(then.powerLoss(seed: UInt64(moment) << 8 | seed)))
        #expect(found[10] == old || found[10] == new, "moment \(moment), seed \(seed)")
        #expect(found[20] == nil || found[20] == old, "moment \(moment), seed \(seed)")
      }
    }
    for seed in 0..<UInt64(20) {
      #expect(try Self.bytes(Self.store(disk.powerLoss(seed: seed))) == [10: new, 20: old])
    }
  }

  @Test("a disk that fails keeps the one before, or has the new one, and says so", arguments: 1...8)
  func failure(call: Int) throws {
    let disk = MemoryDisk()
    let store = Self.store(disk)
    try store.store([1], size: 10)
    disk.set(fault: DiskFault(.fail(.ioError), call: call))
    let result = Result { try store.store([2], size: 10) }
    disk.set(fault: nil)
    let found = try Self.bytes(store)[10]
    switch result {
    case .success: #expect(found == [2])
    case .failure: #expect(found == [1] || found == [2])
    }
    // The next one is none the worse for it.
    try store.store([3], size: 10)
    #expect(try Self.bytes(store) == [10: [3]])
  }

  /// The disk as it was at each moment of each call.
  private final class Moments: @unchecked Sendable {
    // One thread makes all calls.
    private(set) var disks: [MemoryDisk] = []
    func add(_ disk: MemoryDisk) { disks.append(disk.crash()) }
  }
}
