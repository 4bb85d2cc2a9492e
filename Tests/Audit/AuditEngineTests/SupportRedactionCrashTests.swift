import EntityRuntime
import EventSourcing
import Journal
import JournalFormat
import PushDomain
import SimulatedDisk
import SupportDomain
import Synchronization
import SystemPackage
import Testing

@testable import Engine
@testable import EngineRigs
@testable import SupportEngine

@Suite("A redaction of support requests that is cut off", .timeLimit(.minutes(10)))
struct SupportRedactionCrashTests {
  private static let mark = "SECRET-OF-MIA"
  private static let directory: FilePath = "/data"

  private func rig(_ disk: MemoryDisk) async throws -> EngineRig {
    let provider = PatientProvider()
    provider.answer { _ in .retryable(reason: "503") }
    let app = ["integration": "webhook", "webhook_url": "https://push.example.test/hook"]
    return try await EngineRig(
      directory: Self.directory, sections: ["support.app.demo": app], storage: disk, segmentByteCount: 64 * 1024,
      provider: provider)
  }

  /// A request with a file, and a notification that waits for its next attempt. - Returns: its number, and its user's.
  private func populate(_ rig: EngineRig) async throws -> (request: Int64, user: Int64) {
    let support = rig.engine.support
    let token = try await support.signIn(anonymous: "guid-mia", name: Self.mark, email: "mia@example.org", app: "demo")
    let actor = try #require(support.endUser(bearing: token))
    _ = try await support.registerDevice(
      identifier: "device-mia", type: "android", locale: "en", tokenType: nil, by: actor)
    let file = try await support.upload(Array(Self.mark.utf8), fileName: Self.mark, contentType: "image/png", by: actor)
    var order = SupportRequestOrder()
    (order.subject, order.comment.body, order.comment.uploads) = (Self.mark, Self.mark, [file.token])
    let number = try await support.create(order, by: actor).number
    var update = SupportUpdate()
    update.comment = SupportCommentOrder()
    update.comment?.body = Self.mark
    _ = try await support.update(number, update, by: try await support.agent(named: "Ben"))
    while !Task.isCancelled, await support.requests[String(number)]?.peek({ $0.duties.isEmpty }) == false {
      await Task.yield()
    }
    return (number, actor.number)
  }

  /// How many records, snapshots and files hold the marked text, on the disk as it is now.
  private func places(_ disk: MemoryDisk) throws -> Int {
    var count = 0
    let journal = Self.directory.appending("journal")
    func note(_ bytes: some Sequence<UInt8>) {
      if String(decoding: Array(bytes), as: UTF8.self).contains(Self.mark) { count += 1 }
    }
    try JournalReader(directory: journal, storage: disk).forEachRecord { note($0.payload) }
    let store = SnapshotStore(directory: journal, storage: disk)
    for file in try store.all() { try store.open(file).forEachState { entry, state in note(entry.brief + state) } }
    for path in disk.paths { note(disk.contents(of: path)?.prefix(1 << 20) ?? []) }
    return count
  }

  @Test("at whatever step: it has not begun, or the next start carries it to its end, files and all")
  func everyStep() async throws {
    let disk = MemoryDisk()
    let before = try await rig(disk)
    let mia = try await populate(before)
    try await before.engine.snapshotNow()
    #expect(try places(disk) > 3)

    // What a kill would have left, at every call that changes the disk.
    let states = Mutex<[(String, MemoryDisk)]>([])
    disk.set { call, moment in
      guard moment != .after, !["read", "list", "size", "open", "lock"].contains(call.operation.rawValue) else {
        return
      }
      let left = disk.crash()
      states.withLock { $0.append(("\(moment) \(call.name) \(call.occurrence)", left)) }
    }
    _ = try await before.engine.redactions.redact(subject: "guid-mia", by: "operator", reason: "test")
    disk.set(hook: nil)
    #expect(try places(disk) == 0)
    await before.stop()

    let left = states.withLock { $0 }
    #expect(left.count > 30)
    var counts = (untouched: 0, completed: 0)
    for (step, disk) in left {
      let wasPlanned = disk.paths.contains { $0.lastComponent?.string == "redaction.intent" }
      let after = try await rig(disk)
      let support = after.engine.support
      let found = try places(disk)
      let subject = await support.requests.peek(String(mia.request)) { $0.terms?.subject }
      if wasPlanned || found == 0 {
        #expect(found == 0, "\(step)")
        #expect(subject == .some(nil), "\(step)")
        #expect(await after.engine.redactions.done().count == 1, "\(step)")
        counts.completed += 1
      } else {
        #expect(subject == Self.mark, "\(step)")
        #expect(await after.engine.redactions.done().isEmpty, "\(step)")
        counts.untouched += 1
      }
      // Whoever comes now gets numbers of their own.
      let token = try await support.signIn(anonymous: "guid-new", name: nil, email: nil, app: "demo")
      #expect(try #require(support.endUser(bearing: token)).number > mia.user, "\(step)")
      await after.stop()
      _ = try JournalReader(directory: Self.directory.appending("journal"), storage: disk).verify()
    }
    #expect(counts.untouched > 0 && counts.completed > 20)
  }
}
