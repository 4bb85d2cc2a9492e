import ChatDomain
import Engine
import EntityRuntime
import EventSourcing
import Journal
import JournalFormat
import PushDomain
import SimulatedDisk
import Synchronization
import SystemPackage
import Testing

@testable import EngineRigs

@Suite("A redaction that is cut off", .timeLimit(.minutes(15)))
struct RedactionCrashTests {
  private static let mark = "SECRET-OF-ALICE"
  private static let directory: FilePath = "/data"

  private func rig(_ disk: MemoryDisk) async throws -> EngineRig {
    try await EngineRig(directory: Self.directory, storage: disk, segmentByteCount: 64 * 1024)
  }

  private func populate(_ rig: EngineRig) async throws -> String {
    let service = try await rig.engine.chats.create(
      service: "request-chat", data: [NameValuePair("Address", Self.mark)])
    _ = try await rig.engine.chats.start(
      service,
      ChatStartRequest(
        userKey: "alice", notifiesByComet: true, nickname: "\(Self.mark) A.", subject: Self.mark,
        pushTarget: PushTarget(type: "test", deviceID: "device")))
    for number in 0..<8 { _ = try await rig.engine.chats.send(service, text: "\(number) \(Self.mark)", by: .house) }
    let other = try await rig.startChat(user: "bob")
    _ = try await rig.engine.chats.send(other, text: "ordinary", by: .house)
    return service
  }

  /// Where the marked text stands, on the disk as it is now.
  private func places(_ disk: MemoryDisk) throws -> [String] {
    var places: [String] = []
    let journal = Self.directory.appending("journal")
    try JournalReader(directory: journal, storage: disk).forEachRecord { record in
      if String(decoding: record.payload, as: UTF8.self).contains(Self.mark) {
        places.append("record \(record.position)")
      }
    }
    let store = SnapshotStore(directory: journal, storage: disk)
    for file in try store.all() {
      try store.open(file).forEachState { entry, state in
        if String(decoding: entry.brief + state, as: UTF8.self).contains(Self.mark) {
          places.append("\(file.path): \(entry.key)")
        }
      }
    }
    for path in disk.paths {
      guard let bytes = disk.contents(of: path) else { continue }
      if String(decoding: bytes.prefix(1 << 20), as: UTF8.self).contains(Self.mark) { places.append("\(path)") }
    }
    return places
  }

  @Test("at whatever step: it has not begun, or the next start carries it to its end")
  func everyStep() async throws {
    let disk = MemoryDisk()
    let before = try await rig(disk)
    let service = try await populate(before)
    try await before.engine.snapshotNow()
    let position = try await before.engine.chats.refresh(service, after: 0, message: nil, by: .house).position

    // What a kill would have left, at every call that changes the disk.
    let states = Mutex<[(String, MemoryDisk)]>([])
    disk.set { call, moment in
      guard moment != .after, !["read", "list", "size", "open", "lock"].contains(call.operation.rawValue) else {
        return
      }
      let left = disk.crash()
      states.withLock { $0.append(("\(moment) \(call.name) \(call.occurrence)", left)) }
    }
    _ = try await before.engine.redactions.redact(subject: "alice", by: "operator", reason: "test")
    disk.set(hook: nil)
    #expect(try places(disk) == [])
    await before.stop()

    let left = states.withLock { $0 }
    #expect(left.count > 30)
    var counts = (untouched: 0, completed: 0)
    for (step, disk) in left {
      let wasPlanned = disk.paths.contains { $0.lastComponent?.string == "redaction.intent" }
      let after = try await rig(disk)
      let found = try places(disk)
      let reply = try await after.engine.chats.refresh(service, after: 0, message: nil, by: .house)
      #expect(reply.position == position, "\(step)")
      let texts = reply.events.filter { $0.type == .messageText }.map(\.text)
      if wasPlanned || found.isEmpty {
        #expect(found == [], "\(step)")
        #expect(texts.allSatisfy { $0 == "[erased]" }, "\(step)")
        #expect(await after.engine.redactions.done().count == 1, "\(step)")
        counts.completed += 1
      } else {
        #expect(texts.contains { $0.contains(Self.mark) }, "\(step)")
        #expect(await after.engine.redactions.done().isEmpty, "\(step)")
        counts.untouched += 1
      }
      await after.stop()
      _ = try JournalReader(directory: Self.directory.appending("journal"), storage: disk).verify()
    }
    #expect(counts.untouched > 0 && counts.completed > 20)
  }

  @Test("one that a full disk has stopped is carried to its end before the next one begins")
  func stopped() async throws {
    let disk = MemoryDisk()
    let rig = try await rig(disk)
    let service = try await populate(rig)
    disk.set(
      fault: DiskFault(.fail(.noSpace), call: 1, lasts: true, matches: { $0.path.string.contains("snapshots/") }))
    await #expect(throws: (any Error).self) {
      try await rig.engine.redactions.redact(subject: "alice", by: "operator", reason: "first")
    }
    #expect(await rig.engine.redactions.done().isEmpty)
    disk.set(fault: nil)
    _ = try await rig.engine.redactions.redact(subject: "bob", by: "operator", reason: "second")
    #expect(await rig.engine.redactions.done().map(\.reason) == ["first", "second"])
    #expect(try places(disk) == [])
    let texts = try await rig.engine.chats.refresh(service, after: 0, message: nil, by: .house).events.map(\.text)
    #expect(!texts.contains { $0.contains(Self.mark) })
    await rig.stop()
  }
}
