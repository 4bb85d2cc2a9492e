import EventSourcing
import Foundation
import Journal
import JournalFormat
import StandbyWire
import StorageDomain
import SystemPackage
import Testing

@testable import Backup

@Suite("A backup", .timeLimit(.minutes(1)))
struct KeptBackupTests {
  private static let blob = "3b" + String(repeating: "0", count: 62)

  /// A data directory with some of each.
  private func rig(_ records: Int = 300) throws -> BackupRig {
    let rig = try BackupRig()
    try rig.write(records)
    try rig.put("{}", at: "data/tokens.json")
    try rig.put("a file", at: "data/blobs/3b/\(Self.blob)")
    try rig.put("a token", at: "data/provider-tokens/apns")
    try rig.put("none of ours", at: "data/journal/tree/STATE")
    return rig
  }

  @Test("restores to the same files, in an epoch above the one before; a server may start")
  func restores() throws {
    let rig = try rig()
    try EpochStore(directory: rig.path("data/journal")).write(JournalEpoch(role: .primary, own: 7, told: 7))
    let report = try rig.backup()
    #expect(report.manifest.end.position == 300 && report.copiedCount == report.manifest.files.count)
    try KeptBackup(rig.path("backup")).verify()

    let restoration = try Restoration(into: rig.path("restored"))
    #expect(throws: JournalError.notRestored(directory: rig.path("restored/journal"))) { try rig.open("restored") }
    try restoration.restore(try KeptBackup(rig.path("backup")))
    #expect(throws: JournalError.notRestored(directory: rig.path("restored/journal"))) { try rig.open("restored") }
    #expect(try restoration.finish() > 7)
    #expect(try rig.kept(of: "restored") == rig.kept(of: "data"))
    try rig.write(10, to: "restored")
    #expect(try JournalReader(directory: rig.path("restored/journal")).verify().lastPosition == 310)
  }

  @Test("as a stream restores to the same, and cut anywhere it is refused")
  func stream() throws {
    let rig = try rig(40)
    let bytes = try rig.stream()
    func restore(_ bytes: [UInt8], to name: String) throws -> BackupManifest {
      var rest = bytes[...]
      return try Restoration(into: rig.path(name)).restore(stream: { count in
        defer { rest = rest.dropFirst(count) }
        return Array(rest.prefix(count))
      })
    }
    _ = try restore(bytes, to: "restored")
    #expect(try rig.kept(of: "restored") == rig.kept(of: "data"))
    // Behind the manifest nothing is missed.
    let manifest = try #require(bytes.ranges(of: Array("carillon-backup 1".utf8)).last).lowerBound
    let cuts = Array(stride(from: 0, to: manifest, by: manifest / 12 + 1)) + [manifest, manifest + 300]
    for (number, count) in cuts.enumerated() {
      #expect(throws: BackupError.self) { try restore(Array(bytes.prefix(count)), to: "cut-\(number)") }
    }
    for (number, text) in ["{}", "a file", "CARILLON", "carillon-backup"].enumerated() {
      var changed = bytes
      let place = try #require(changed.firstRange(of: Array(text.utf8)))
      changed[place.lowerBound] ^= 1
      #expect(throws: (any Error).self) { try restore(changed, to: "changed-\(number)") }
    }
  }

  @Test("with any file of it removed, cut or changed it is refused")
  func cut() throws {
    let rig = try rig()
    try rig.backup()
    let files = try rig.contents(of: "backup").filter { $0.key != "LOCK" }
    #expect(files.count > 4)
    let changes: [(inout Data) -> Data?] = [
      { _ in nil }, { _ in Data() }, { $0.dropLast() }, { $0 + [0] },
      {
        $0[$0.startIndex + $0.count / 2] ^= 1
        return $0
      },
    ]
    for (name, data) in files {
      for change in changes {
        let url = rig.folder.appendingPathComponent("backup/" + name)
        var bytes = data
        if let changed = change(&bytes) {
          try changed.write(to: url)
        } else {
          try FileManager.default.removeItem(at: url)
        }
        #expect(throws: BackupError.self, "\(name)") { try KeptBackup(rig.path("backup")).verify() }
        try data.write(to: url)
      }
    }
    try KeptBackup(rig.path("backup")).verify()
  }

  @Test("into a directory that has one copies only what is new, and keeps nothing that is gone")
  func increment() throws {
    let rig = try rig()
    let first = try rig.backup()
    try rig.write(300)
    try FileManager.default.removeItem(at: rig.folder.appendingPathComponent("data/blobs/3b/\(Self.blob)"))
    let second = try rig.backup()
    #expect(second.manifest.end.position == 600)
    let known = Set(first.manifest.files.map(\.hash))
    #expect(second.copiedCount == second.manifest.files.count { !known.contains($0.hash) })
    #expect(second.copiedCount < second.manifest.files.count && second.copiedCount > 0)
    let objects = try rig.contents(of: "backup").filter { $0.key.hasPrefix("objects/") }
    #expect(objects.count == Set(second.manifest.files.map(\.hash)).count)
    try KeptBackup(rig.path("backup")).verify()
    #expect(try rig.backup().copiedCount <= 1, "only the segment that is being written")
  }

  @Test("needs no file that was never made, and a journal without a record is one")
  func bare() throws {
    let rig = try BackupRig()
    try rig.write(0)
    #expect(try rig.backup().manifest.files.map(\.place.text) == ["journal/000000000001.segment"])
    #expect(try KeptBackup(rig.path("backup")).verify().lastPosition == 0)
  }

  @Test("is not put over another instance's, a longer one, one that has parted, or anything else")
  func others() throws {
    let rig = try rig(100)
    try rig.backup()
    try rig.write(100, to: "other")
    #expect(throws: BackupError.otherInstance(rig.path("backup"))) { try rig.backup("other") }
    try FileManager.default.copyItem(
      at: rig.folder.appendingPathComponent("data"), to: rig.folder.appendingPathComponent("longer"))
    try rig.write(5, to: "longer")
    try rig.backup("longer")
    #expect(throws: BackupError.ahead(backup: 105, journal: 100)) { try rig.backup() }
    try rig.write(9)
    #expect(throws: BackupError.parted(position: 105)) { try rig.backup() }
    try rig.put("x", at: "full/notes.txt")
    #expect(throws: BackupError.foreign("\(rig.path("full/notes.txt"))")) { try rig.backup(to: "full") }
    #expect(throws: BackupError.noJournal(rig.path("nothing/journal"))) {
      try DiskStorage().createDirectory(rig.path("nothing/journal"))
      try rig.backup("nothing", to: "fresh")
    }
    let held = try BackupFolder(rig.path("backup"))
    #expect(throws: BackupError.inUse(rig.path("backup"))) { try rig.backup("longer") }
    #expect(held.former?.end.position == 105)
    #expect(throws: BackupError.notEmpty(rig.path("full"))) { try Restoration(into: rig.path("full")) }
  }

  @Test("a kill before the manifest leaves the one before, and what was copied is no file of either")
  func killed() throws {
    let rig = try rig(50)
    try rig.backup()
    try rig.put("half", at: "backup/objects/incoming")
    try rig.put("half", at: "backup/MANIFEST.writing")
    #expect(try KeptBackup(rig.path("backup")).verify().lastPosition == 50)
    try rig.write(5)
    try rig.backup()
    #expect(try KeptBackup(rig.path("backup")).verify().lastPosition == 55)
    #expect(throws: BackupError.self) { try KeptBackup(rig.path("nowhere")) }
  }

  @Test("restored at a position ends there, behind what was written at once")
  func position() throws {
    let rig = try rig()
    try rig.put("evidence", at: "data/checkpoints/00000000000000000250.checkpoint")
    try rig.put("evidence", at: "data/checkpoints/00000000000000000100.checkpoint")
    let manifest = try rig.backup().manifest
    let restoration = try Restoration(into: rig.path("restored"))
    try restoration.restore(try KeptBackup(rig.path("backup")))
    #expect(try restoration.cut(at: .position(123)).position == 123)
    _ = try restoration.finish()
    #expect(try JournalReader(directory: rig.path("restored/journal")).verify().lastPosition == 123)
    #expect(try rig.contents(of: "restored/checkpoints").keys.sorted() == ["00000000000000000100.checkpoint"])
    #expect(try rig.kept(of: "restored")["blobs/3b/\(Self.blob)"] != nil, "stored files stay")
    #expect(throws: BackupError.beyondEnd(position: 300)) { try Restoration.Bound.position(301).judge(manifest) }
    #expect(throws: BackupError.beyondEnd(position: 300)) {
      try Restoration.Bound.time(1_700_000_000_001).judge(manifest)
    }
    #expect(throws: BackupError.beforeBeginning) {
      let other = try Restoration(into: rig.path("other"))
      try other.restore(try KeptBackup(rig.path("backup")))
      _ = try other.cut(at: .time(0))
    }
  }

  @Test("says how many records it holds that were erased since, and none once it was taken anew")
  func erased() throws {
    let rig = try rig()
    try rig.backup()
    let directory = rig.path("data/journal")
    let writer = try rig.open()
    let seal = try writer.roll()
    try writer.close()
    let reader = JournalReader(directory: directory)
    #expect(try KeptBackup(rig.path("backup")).recordsErased(in: reader) == 0)
    _ = try SegmentRedaction(directory: directory).redact(upTo: seal.position) { $0.position % 100 == 7 }
    #expect(try KeptBackup(rig.path("backup")).recordsErased(in: reader) == 3)
    try rig.backup()
    #expect(try KeptBackup(rig.path("backup")).recordsErased(in: reader) == 0)
    try KeptBackup(rig.path("backup")).verify()
  }

  @Test("knows which stored files the records of a stretch name")
  func named() throws {
    let rig = try BackupRig()
    let writer = try rig.open()
    for byte in UInt8(1)...3 {
      let file = StoredFile(
        digest: [UInt8](repeating: byte, count: 32), byteCount: 5, contentType: "text/plain", name: nil, isText: true)
      let event = StoredEvent(
        StorageEvent.stored([StoredPair("n", .file(file))], name: nil, until: Timestamp(milliseconds: 9)))
      try writer.waitUntilDurable(
        try writer.append([
          PendingRecord(
            kind: EntityKind.stored.rawValue, key: "k", sequence: UInt64(byte), timeMilliseconds: 1, tag: event.tag,
            payload: event.payload)
        ]))
    }
    try writer.close()
    let reader = JournalReader(directory: rig.path("data/journal"))
    func name(_ byte: String) -> String { String(repeating: byte, count: 32) }
    #expect(try reader.blobsNamed(after: 0, upTo: 3) == [name("01"), name("02"), name("03")])
    #expect(try reader.blobsNamed(after: 1, upTo: 2) == [name("02")])
    #expect(try reader.blobsNamed(after: 3, upTo: 3).isEmpty)
  }
}
