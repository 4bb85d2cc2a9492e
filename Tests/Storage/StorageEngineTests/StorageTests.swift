import ChatDomain
import EntityRuntime
import EventSourcing
import Foundation
import SimulatedDisk
import StorageDomain
import SystemPackage
import Testing

@testable import Engine
@testable import EngineRigs
@testable import StorageEngine

@Suite("Stored data and its files", .timeLimit(.minutes(1)))
struct StorageTests {
  private static let photo = Array("\u{89}PNG SECRET-PHOTO".utf8)

  private static func file(_ bytes: [UInt8] = photo, name: String = "photo") -> StorageUpload {
    StorageUpload(name, .file(bytes, contentType: "image/png", name: "p.png"))
  }

  private static func text(_ name: String, _ text: String) -> StorageUpload { StorageUpload(name, .text(text)) }

  /// The files that lie there, by their hashes.
  private func blobs(_ directory: FilePath) -> [String] {
    let files = FileManager.default.enumerator(atPath: directory.appending("blobs").string)
    var names: [String] = []
    while let name = files?.nextObject() as? String { if name.utf8.count > 2 { names.append(name) } }
    return names.sorted()
  }

  private func waitUntil(_ condition: () -> Bool) async { while !Task.isCancelled, !condition() { await Task.yield() } }

  @Test("texts and files come back as they were stored, long texts too, also after a restart")
  func restart() async throws {
    let directory = try EngineRig.temporaryDirectory()
    let rig = try await EngineRig(directory: directory)
    let long = String(repeating: "ö", count: 5_000)
    let id = try await rig.engine.storage.create(
      [Self.text("a", "1"), Self.file(), Self.text("long", long)], seconds: 3_600)
    #expect(blobs(directory).count == 2)
    await rig.stop()

    let next = try await EngineRig(directory: directory)
    let place = StoragePlace.id(id, user: nil)
    let values = try await next.engine.storage.values(place)
    #expect(values.map(\.name) == ["a", "photo", "long"])
    #expect(values.map(\.value) == [.text("1"), .file, .text(long)])
    let content = try await next.engine.storage.file("photo", of: place)
    #expect(content.bytes == Self.photo && content.contentType == "image/png" && content.name == "p.png")
    await #expect(throws: StorageFailure.unknownKey) { try await next.engine.storage.file("long", of: place) }
    await #expect(throws: StorageFailure.unknownKey) { try await next.engine.storage.value("b", of: place) }
    await #expect(throws: StorageFailure.unknown) { try await next.engine.storage.values(.id("x", user: nil)) }
    await next.stop()
  }

  @Test("data that sleeps in a snapshot holds its files, and ends at its time")
  func asleep() async throws {
    let rig = try await DeviceRig()
    let id = try await rig.engine.storage.create([Self.file()], seconds: 60)
    try await rig.engine.snapshotNow()
    try await rig.stop()

    let next = try await rig.restarted()
    #expect(next.engine.storage.directory.awakeCount == 0)
    #expect(blobs(rig.directory).count == 1)
    #expect(try await next.engine.storage.file("photo", of: .id(id, user: nil)).bytes == Self.photo)
    try await next.advance(by: .seconds(61))
    await waitUntil { blobs(rig.directory).isEmpty }
    #expect(next.engine.storage.directory.count == 0)
    try await next.stop()
  }

  @Test("data ends at its time, not before, and its files go; an update renews it")
  func expiry() async throws {
    let rig = try await DeviceRig()
    let place = StoragePlace.id(try await rig.engine.storage.create([Self.file()], seconds: 30), user: nil)
    try await rig.advance(by: .seconds(29))
    try await rig.engine.storage.update(place, [Self.text("a", "1")], seconds: 30)
    try await rig.advance(by: .seconds(29))
    #expect(try await rig.engine.storage.values(place).count == 2)
    #expect(blobs(rig.directory).count == 1)
    try await rig.advance(by: .seconds(2))
    await #expect(throws: StorageFailure.unknown) { try await rig.engine.storage.values(place) }
    await waitUntil { blobs(rig.directory).isEmpty }
    await #expect(throws: StorageFailure.unknown) {
      try await rig.engine.storage.update(place, [Self.text("a", "1")], seconds: 30)
    }
    try await rig.stop()
  }

  @Test("the same content is one file, which stays as long as anybody needs it")
  func shared() async throws {
    let directory = try EngineRig.temporaryDirectory()
    let rig = try await EngineRig(directory: directory)
    let storage = rig.engine.storage
    let first = StoragePlace.id(
      try await storage.create([Self.file(), Self.file(name: "copy")], seconds: 60), user: nil)
    let second = StoragePlace.id(try await storage.create([Self.file()], seconds: 60), user: nil)
    #expect(blobs(directory).count == 1 && storage.blobs.byteCount == Self.photo.count)
    try await storage.delete("photo", of: first)
    try await storage.delete(first)
    await storage.blobs.collect()
    #expect(try await storage.file("photo", of: second).bytes == Self.photo)
    try await storage.update(second, [Self.text("photo", "gone")], seconds: 60)
    await waitUntil { storage.blobs.byteCount == 0 }
    #expect(blobs(directory).isEmpty)
    await rig.stop()
  }

  @Test("a file that a record keeps or lets go of is counted once, however often that is said")
  func repeated() async throws {
    let rig = try await EngineRig(directory: try EngineRig.temporaryDirectory())
    let storage = rig.engine.storage
    let ids = [
      try await storage.create([Self.file()], seconds: 60), try await storage.create([Self.file()], seconds: 60),
    ]
    let records = try ids.map { try #require(storage.directory[$0]) }
    let files = await records[0].peek { $0.files }
    for record in records { for _ in 1...2 { await storage.perform([.holds(files)], of: record) } }
    for _ in 1...2 { await storage.perform([.holds([])], of: records[0]) }
    await storage.blobs.collect()
    #expect(storage.blobs.count == 1)
    await storage.perform([.holds([])], of: records[1])
    await storage.blobs.collect()
    #expect(storage.blobs.count == 0)
    await rig.stop()
  }

  @Test("making and deleting the same content at once leaves exactly what is needed")
  func concurrent() async throws {
    let directory = try EngineRig.temporaryDirectory()
    let rig = try await EngineRig(directory: directory)
    let storage = rig.engine.storage
    try await withThrowingTaskGroup(of: Void.self) { group in
      for worker in 0..<16 {
        group.addTask {
          for round in 0..<8 {
            let bytes = Array("content \((worker + round) % 3)".utf8)
            let place = StoragePlace.id(try await storage.create([Self.file(bytes)], seconds: 60), user: nil)
            #expect(try await storage.file("photo", of: place).bytes == bytes)
            try await storage.delete(place)
          }
        }
      }
      try await group.waitForAll()
    }
    let kept = StoragePlace.id(try await storage.create([Self.file(Array("content 1".utf8))], seconds: 60), user: nil)
    await storage.blobs.collect()
    await waitUntil { blobs(directory).count == 1 }
    #expect(try await storage.file("photo", of: kept).bytes == Array("content 1".utf8))
    #expect(storage.directory.count == 1)
    await rig.stop()
  }

  @Test("a start removes what no record names, and what a crash left half written")
  func orphans() async throws {
    let directory = try EngineRig.temporaryDirectory()
    let rig = try await EngineRig(directory: directory)
    let id = try await rig.engine.storage.create([Self.file()], seconds: 3_600)
    await rig.stop()
    let group = directory.appending("blobs/ab")
    try FileManager.default.createDirectory(atPath: group.string, withIntermediateDirectories: true)
    for name in [String(repeating: "ab", count: 32), String(repeating: "ab", count: 32) + ".writing", "nonsense"] {
      try Data("left".utf8).write(to: URL(filePath: group.appending(name).string))
    }
    let next = try await EngineRig(directory: directory)
    #expect(blobs(directory).count == 1)
    #expect(try await next.engine.storage.file("photo", of: .id(id, user: nil)).bytes == Self.photo)
    await next.stop()
  }

  @Test(
    "a file that is not what was stored is never handed out; storing it again makes it whole", arguments: [true, false])
  func damaged(isMissing: Bool) async throws {
    let directory = try EngineRig.temporaryDirectory()
    let rig = try await EngineRig(directory: directory)
    let storage = rig.engine.storage
    let place = StoragePlace.id(try await storage.create([Self.file()], seconds: 3_600), user: nil)
    let path = directory.appending("blobs").appending(try #require(blobs(directory).first))
    if isMissing {
      try FileManager.default.removeItem(atPath: path.string)
    } else {
      var bytes = Self.photo
      bytes[3] ^= 1
      try Data(bytes).write(to: URL(filePath: path.string))
    }
    await #expect(throws: StorageFailure.damaged) { try await storage.file("photo", of: place) }
    _ = try await storage.create([Self.file()], seconds: 60)
    #expect(try await storage.file("photo", of: place).bytes == Self.photo)
    await rig.stop()
  }

  @Test("all files together have a bound, and what was refused leaves nothing behind")
  func quota() async throws {
    let directory = try EngineRig.temporaryDirectory()
    let rig = try await EngineRig(directory: directory) { $0.limits.storedBytesMaximum = 30 }
    let storage = rig.engine.storage
    let place = StoragePlace.id(try await storage.create([Self.file()], seconds: 60), user: nil)
    await #expect(throws: StorageFailure.full) {
      try await storage.create([Self.file(Array("0123456789".utf8)), Self.file(Array("another".utf8))], seconds: 60)
    }
    await waitUntil { storage.blobs.byteCount == Self.photo.count }
    #expect(blobs(directory).count == 1 && storage.directory.count == 1)
    // The same content takes no more room.
    _ = try await storage.create([Self.file()], seconds: 60)
    try await storage.delete(place)
    await rig.stop()
  }

  @Test("one user has so many records and bytes, gets back what is given up, and a restart forgets nothing")
  func userQuota() async throws {
    let directory = try EngineRig.temporaryDirectory()
    func started() async throws -> EngineRig {
      try await EngineRig(directory: directory) {
        $0.limits.storedRecordsByUserMaximum = 2
        $0.limits.storedBytesByUserMaximum = 2 * Self.photo.count
      }
    }
    let rig = try await started()
    func store(_ id: String, _ uploads: [StorageUpload], _ rig: EngineRig, user: String = "anna") async throws {
      try await rig.engine.storage.create(uploads, seconds: 600, customID: id, user: user)
    }
    let records = StorageFailure.quota("stored records", limit: 2)
    let bytes = StorageFailure.quota("bytes of stored files", limit: 2 * Self.photo.count)
    try await store("a", [Self.file()], rig)
    try await store("b", [Self.text("t", "1")], rig)
    await #expect(throws: records) { try await store("c", [Self.text("t", "1")], rig) }
    try await store("c", [Self.text("t", "1")], rig, user: "otto")
    try await store("b", [Self.file(name: "second")], rig)
    await #expect(throws: bytes) { try await store("b", [Self.file(name: "third")], rig) }
    await #expect(throws: bytes) {
      try await rig.engine.storage.update(.id("a", user: "anna"), [Self.file(name: "third")], seconds: 600)
    }
    await rig.stop()

    let next = try await started()
    await #expect(throws: records) { try await store("c", [Self.text("t", "1")], next) }
    await #expect(throws: bytes) { try await store("b", [Self.file(name: "third")], next) }
    try await next.engine.storage.delete(.id("a", user: "anna"))
    try await store("c", [Self.file()], next)
    await #expect(throws: bytes) { try await store("c", [Self.file(name: "more")], next) }
    try await next.engine.storage.delete("second", of: .id("b", user: "anna"))
    try await store("c", [Self.file(name: "more")], next)
    await next.stop()
  }

  @Test("what one address has sent has bounds of its own, whoever's it is, and is given back when it is gone")
  func addressQuota() async throws {
    let rig = try await EngineRig(directory: EngineRig.temporaryDirectory()) {
      $0.limits.storedRecordsByAddressMaximum = 3
      $0.limits.storedBytesByAddressMaximum = 2 * Self.photo.count
    }
    let storage = rig.engine.storage
    let (home, elsewhere) = (StorageSource(1), StorageSource(2))
    let records = StorageFailure.quota("stored records", limit: 3, of: .address)
    let bytes = StorageFailure.quota("bytes of stored files", limit: 2 * Self.photo.count, of: .address)
    func nobodys(_ upload: StorageUpload, from source: StorageSource?) async throws -> StoragePlace {
      .id(try await storage.create([upload], seconds: 600, from: source), user: nil)
    }
    let first = try await nobodys(Self.file(), from: home)
    _ = try await storage.create([Self.file()], seconds: 600, owner: "anna", from: home)
    await #expect(throws: bytes) { try await nobodys(Self.file(), from: home) }
    await #expect(throws: bytes) { try await storage.update(first, [Self.file(name: "b")], seconds: 600, from: home) }
    _ = try await nobodys(Self.file(), from: elsewhere)
    // Whoever has no budget has no share.
    for _ in 0..<4 { _ = try await nobodys(Self.file(), from: nil) }

    let text = try await nobodys(Self.text("t", "1"), from: home)
    await #expect(throws: records) { try await nobodys(Self.text("t", "1"), from: home) }
    // To write to what is there takes no record more.
    try await storage.update(text, [Self.text("t", "2")], seconds: 600, from: home)
    try await storage.delete(text)
    _ = try await storage.create(
      [Self.text("t", "1")], seconds: 600, customID: "mine", user: "otto", from: home)
    await #expect(throws: records) { try await nobodys(Self.text("t", "1"), from: home) }

    // Whoever has too much may change what takes no more, and takes nothing over that has no room.
    let others = try await nobodys(Self.file(), from: nil)
    try await storage.update(first, [Self.text("t", "3")], seconds: 600, from: home)
    await #expect(throws: records) {
      try await storage.update(others, [Self.text("t", "1")], seconds: 600, from: home)
    }
    // Whoever writes last has it.
    try await storage.update(first, [Self.text("t", "1")], seconds: 600, from: elsewhere)
    _ = try await nobodys(Self.file(), from: home)
    await #expect(throws: bytes) { try await nobodys(Self.file(), from: elsewhere) }
    await rig.stop()
  }

  @Test("the number of records, of keys, of bytes in one and the length of names have bounds")
  func bounds() async throws {
    let rig = try await EngineRig(directory: EngineRig.temporaryDirectory()) {
      $0.limits.storedRecordsMaximum = 1
      $0.storageLimits.recordBytesMaximum = 40
    }
    let storage = rig.engine.storage
    let place = StoragePlace.id(try await storage.create([Self.file()], seconds: 60), user: nil)
    await #expect(throws: StorageFailure.limitReached("stored_records")) { try await storage.create([], seconds: 60) }
    await #expect(throws: StorageFailure.tooLarge(limit: 40)) {
      try await storage.update(place, [Self.text("long", String(repeating: "x", count: 30))], seconds: 60)
    }
    await #expect(throws: StorageFailure.invalid(field: "key", reason: "is longer than 256 bytes")) {
      try await storage.update(place, [Self.text(String(repeating: "k", count: 257), "")], seconds: 60)
    }
    let many = (0...128).map { Self.text("k\($0)", "") }
    await #expect(throws: StorageFailure.invalid(field: "keys", reason: "are more than 128")) {
      try await storage.update(place, many, seconds: 60)
    }
    await rig.stop()
  }

  @Test("an id of the user's own is that user's only, survives a restart, and can be used anew")
  func custom() async throws {
    let directory = try EngineRig.temporaryDirectory()
    let rig = try await EngineRig(directory: directory)
    try await rig.engine.storage.create([Self.text("a", "anna's")], seconds: 600, customID: "cart", user: "anna")
    try await rig.engine.storage.create([Self.text("a", "otto's")], seconds: 600, customID: "cart", user: "otto")
    try await rig.engine.storage.create([Self.text("b", "too")], seconds: 600, customID: "cart", user: "anna")
    await rig.stop()

    let next = try await EngineRig(directory: directory)
    let storage = next.engine.storage
    #expect(try await storage.values(.id("cart", user: "anna")).map(\.name) == ["a", "b"])
    #expect(try await storage.value("a", of: .id("cart", user: "otto")) == .text("otto's"))
    for user in [nil, "eve"] {
      await #expect(throws: StorageFailure.unknown) { try await storage.values(.id("cart", user: user)) }
    }
    // The key that it has in the journal is no id for anybody.
    let key = try #require(storage.index[.custom(id: "cart", user: "anna")])
    await #expect(throws: StorageFailure.unknown) { try await storage.values(.id(key, user: nil)) }
    try await storage.delete(.id("cart", user: "anna"))
    await #expect(throws: StorageFailure.unknown) { try await storage.values(.id("cart", user: "anna")) }
    try await storage.create([Self.text("c", "new")], seconds: 600, customID: "cart", user: "anna")
    #expect(try await storage.values(.id("cart", user: "anna")).map(\.name) == ["c"])
    await next.stop()

    let last = try await EngineRig(directory: directory)
    #expect(try await last.engine.storage.values(.id("cart", user: "anna")).map(\.name) == ["c"])
    await last.stop()
  }

  @Test("many who store under one name at once all find it there")
  func race() async throws {
    let rig = try await EngineRig(directory: EngineRig.temporaryDirectory())
    let storage = rig.engine.storage
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 0..<32 {
        group.addTask {
          try await storage.create([Self.text("k\(number)", "")], seconds: 60, customID: "cart", user: "anna")
        }
      }
      try await group.waitForAll()
    }
    #expect(try await storage.values(.id("cart", user: "anna")).count == 32)
    #expect(storage.directory.count == 1)
    await rig.stop()
  }

  @Test("the data of a service instance is its own, with what was stored over it, as long as it lives")
  func instance() async throws {
    let rig = try await DeviceRig(sections: ["service.request-chat": ["_ttl": "100"]])
    let storage = rig.engine.storage
    let service = try await rig.engine.chats.create(
      service: "request-chat", data: [NameValuePair("order", "81"), NameValuePair("color", "red")])
    let place = StoragePlace.instance(service)
    #expect(try await storage.values(place).map(\.name) == ["order", "color"])
    try await storage.update(place, [Self.text("color", "blue"), Self.file()], seconds: 0)
    #expect(try await storage.values(place).map(\.value) == [.text("81"), .text("blue"), .file])
    try await storage.delete("order", of: place)
    try await storage.delete("photo", of: place)
    #expect(try await storage.values(place).map(\.name) == ["color"])
    await #expect(throws: StorageFailure.unknownKey) { try await storage.delete("order", of: place) }
    try await storage.delete(place)
    #expect(try await storage.values(place).isEmpty)
    try await storage.update(place, [Self.text("order", "82")], seconds: 0)
    #expect(try await storage.value("order", of: place) == .text("82"))
    await #expect(throws: StorageFailure.unknownInstance) { try await storage.values(.instance("412-none")) }
    // Nobody uses the instance: it ends, and what was stored for it too.
    for _ in 0..<4 { try await rig.advance(by: .seconds(60)) }
    await #expect(throws: StorageFailure.unknownInstance) { try await storage.values(place) }
    #expect(storage.directory.count == 0)
    try await rig.stop()
  }

  @Test("an erasure takes the customer's data and the files with it, also after a restart")
  func erasure() async throws {
    let directory = try EngineRig.temporaryDirectory()
    let rig = try await EngineRig(directory: directory)
    let storage = rig.engine.storage
    try await storage.create(
      [Self.file(), Self.text("note", "SECRET-NOTE")], seconds: 3_600, customID: "cart", user: "anna")
    let service = try await rig.startChat(user: "anna")
    try await storage.update(.instance(service, user: "anna"), [Self.text("more", "SECRET-DATA")], seconds: 0)
    let other = try await storage.create([Self.file(Array("ordinary".utf8))], seconds: 3_600)
    _ = try await rig.engine.redactions.redact(subject: "anna", by: "ops", reason: "asked for")
    await #expect(throws: StorageFailure.unknown) { try await storage.values(.id("cart", user: "anna")) }
    #expect(blobs(directory).count == 1)
    await rig.stop()
    #expect(try SubjectBytes.places(of: "SECRET", in: directory) == [])

    let next = try await EngineRig(directory: directory)
    #expect(try await next.engine.storage.file("photo", of: .id(other, user: nil)).bytes == Array("ordinary".utf8))
    try await next.engine.storage.create([Self.text("a", "1")], seconds: 60, customID: "cart", user: "anna")
    #expect(try await next.engine.storage.values(.id("cart", user: "anna")).map(\.name) == ["a"])
    await next.stop()
  }

  @Test("a loss of power leaves every file that was acknowledged", arguments: 1...8 as ClosedRange<UInt64>)
  func powerLoss(seed: UInt64) async throws {
    let disk = MemoryDisk()
    let directory = FilePath("/data")
    let rig = try await DeviceRig(directory: directory, storage: disk)
    var kept: [(id: String, bytes: [UInt8])] = []
    for number in 0..<5 {
      let bytes = Array(repeating: UInt8(number), count: 3_000)
      kept.append((try await rig.engine.storage.create([Self.file(bytes)], seconds: 600), bytes))
    }
    try await rig.engine.storage.delete(.id(kept.removeFirst().id, user: nil))
    let afterwards = disk.powerLoss(seed: seed)
    await rig.kill()
    let next = try await DeviceRig(directory: directory, storage: afterwards)
    for (id, bytes) in kept {
      #expect(try await next.engine.storage.file("photo", of: .id(id, user: nil)).bytes == bytes)
    }
    try await next.stop()
  }

  @Test("a disk that fails while a file is written refuses it, and nothing of it is known then")
  func failing() async throws {
    let disk = MemoryDisk()
    let rig = try await DeviceRig(directory: FilePath("/data"), storage: disk)
    let storage = rig.engine.storage
    disk.capacity = disk.usedByteCount + 1_000
    await #expect(throws: StorageFailure.full) {
      try await storage.create([Self.file(Array(repeating: 1, count: 100_000))], seconds: 60)
    }
    disk.capacity = .max
    #expect(storage.directory.count == 0 && storage.blobs.byteCount == 0)
    let id = try await storage.create([Self.file(Array(repeating: 1, count: 100_000))], seconds: 60)
    #expect(try await storage.file("photo", of: .id(id, user: nil)).bytes.count == 100_000)
    try await rig.stop()
  }
}
