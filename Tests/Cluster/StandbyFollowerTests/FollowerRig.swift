import Journal
import JournalFormat
import SimulatedDisk
import StandbyFollower
import StandbyWire
import Synchronization
import SystemPackage
import Testing

/// A standby on a disk in memory, and the primary that it follows.
struct FollowerRig {
  static let data: FilePath = "/standby"
  static let journal = data.appending("journal")

  let primary: MemoryPrimary
  let disk: MemoryDisk
  var allowsNewCopy = false

  init(_ primary: MemoryPrimary = MemoryPrimary(), _ disk: MemoryDisk = MemoryDisk()) {
    self.primary = primary
    self.disk = disk
  }

  /// A primary with a journal of several segments, a token file, a blob and a snapshot.
  static func make(_ count: Int = 200) throws -> FollowerRig {
    let rig = FollowerRig()
    try rig.primary.write(count)
    rig.primary.put("tokens.json", Array("tokens".utf8))
    rig.primary.put(blob, Array("content".utf8))
    rig.primary.put(snapshot, Array(repeating: 7, count: 20_000))
    return rig
  }

  static let blob = "blobs/aa/" + String(repeating: "a", count: 64)
  static let snapshot = "journal/snapshots/00000000000000000100.snapshot"

  private func follower(_ tell: @escaping @Sendable (FollowerStatus) -> Void) -> Follower {
    // A second passes between any two looks: each news is told.
    let clock = Clock()
    guard let name = StandbyName("test") else { preconditionFailure("test is a name") }
    return Follower(
      data: Self.data, primary: primary, url: "memory", name: name, allowsNewCopy: allowsNewCopy, storage: disk,
      protect: { _ in }, clock: { clock.next() }, pause: { _ in await Task.yield() }, tell: tell)
  }

  private final class Clock: Sendable {
    private let time = Mutex<Int64>(1_770_000_000_000)

    func next() -> Int64 {
      time.withLock { time in
        time += 1000
        return time
      }
    }
  }

  /// Has the standby follow until `isDone` of what it tells, and stops it.
  func follow(until isDone: @escaping @Sendable (FollowerStatus) -> Bool) async throws {
    let statuses = AsyncStream.makeStream(of: FollowerStatus.self)
    let follower = follower { statuses.continuation.yield($0) }
    let running = Task {
      let end = await follower.run()
      statuses.continuation.finish()
      return end
    }
    for await status in statuses.stream where isDone(status) { running.cancel() }
    #expect(await running.value == nil)
  }

  /// Has it follow until it has all that the primary has.
  func catchUp() async throws {
    let position = try await primary.manifest(after: nil, PrimaryCaller.test).position
    try await follow { $0.state == .following && $0.position == position }
  }

  /// Has it follow until it gives up.
  func end() async -> FollowerEnd? {
    await follower { _ in }.run()
  }

  // MARK: What is there

  /// Files of a directory, by their paths below it.
  static func files(_ disk: MemoryDisk, _ data: FilePath) -> [String: [UInt8]] {
    var files: [String: [UInt8]] = [:]
    for path in disk.paths {
      var below = path
      if below.removePrefix(data) { files[below.string] = disk.contents(of: path) }
    }
    return files
  }

  /// What the standby has of what a standby copies.
  var copied: [String: [UInt8]] { Self.files(disk, Self.data).filter { StandbyPath($0.key) != nil } }
  var served: [String: [UInt8]] { Self.files(primary.disk, MemoryPrimary.data).filter { StandbyPath($0.key) != nil } }

  func epoch() throws -> JournalEpoch? { try EpochStore(directory: Self.journal, storage: disk).read() }
}

extension PrimaryCaller {
  static var test: PrimaryCaller {
    guard let name = StandbyName("test") else { preconditionFailure("test is a name") }
    return PrimaryCaller(name: name, epoch: 1)
  }
}
