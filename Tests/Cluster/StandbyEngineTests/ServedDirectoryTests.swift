import Foundation
import JournalFormat
import StandbyWire
import SystemPackage
import Testing

@testable import StandbyEngine

@Suite("What of a data directory is served to standbys")
struct ServedDirectoryTests {
  private static func blob(_ first: String) -> StandbyPath { .blob(first + String(repeating: "0", count: 62)) }

  /// All kinds of files, and all that is not to be copied.
  private static func rig() throws -> PrimaryRig {
    let rig = try PrimaryRig()
    try rig.append(12)
    for (place, text) in [
      (.tokens, "tokens"), (.providerToken("a.b"), "p"), (.checkpoint(size: 9), "c"), (.snapshot(position: 3), "s"),
      (.edge(position: 3), "e"), (blob("0a"), "x"), (blob("ff"), "yy"), (.redactionIntent, "i"),
    ] as [(StandbyPath, String)] { try rig.put(place, text) }
    let left = ["scan/1", "asleep/1.spill", "journal/tree/STATE", "journal/index/KEY", "blobs/0a/aside.writing"]
    for name in left + ["journal/snapshots/00000000000000000009.snapshot.writing", "notes.txt"] {
      let path = rig.data.pushing(FilePath(name))
      try FileManager.default.createDirectory(
        atPath: path.removingLastComponent().string, withIntermediateDirectories: true)
      try Data("x".utf8).write(to: URL(fileURLWithPath: path.string))
    }
    return rig
  }

  @Test("the manifest has what is to be copied, and nothing else")
  func manifest() throws {
    let rig = try Self.rig()
    let manifest = try rig.directory.manifest(after: nil) { rig.extent }
    #expect(
      manifest.files.map(\.path) == [
        Self.blob("0a").text, Self.blob("ff").text, "checkpoints/00000000000000000009.checkpoint",
        "journal/redaction.intent", "journal/snapshots/00000000000000000003.edge",
        "journal/snapshots/00000000000000000003.snapshot", "provider-tokens/a.b", "tokens.json",
      ])
    #expect(manifest.files.map(\.byteCount) == [1, 2, 1, 1, 1, 1, 1, 6])
    let newest = rig.extent.place.segment
    #expect(newest >= 2)
    #expect(manifest.segments.map(\.number) == Array(1...newest))
    #expect(manifest.segments.map(\.isSealed) == (1...newest).map { $0 < newest })
    for segment in manifest.segments {
      let header = try rig.bytes(segment.file.place).withUnsafeBytes { try SegmentHeader.decode($0).header }
      #expect(segment.id == header.id)
    }
    #expect(manifest.identity == JournalIdentity(oldestSegment: 1, oldestID: manifest.segments[0].id))
    #expect(manifest.place == rig.extent.place && manifest.position == 12 && manifest.epoch == 1)
    #expect(manifest.next == nil)
  }

  @Test("page by page it is the same", arguments: [1, 2, 3, 7])
  func pages(count: Int) throws {
    let rig = try Self.rig()
    let whole = try rig.directory.manifest(after: nil) { rig.extent }
    var (segments, files): ([StandbyManifest.Segment], [StandbyFile]) = ([], [])
    var after: StandbyPath?
    repeat {
      let page = try rig.directory.manifest(after: after, count: count) { rig.extent }
      #expect(page.segments.count + page.files.count <= count)
      segments += page.segments
      files += page.files
      after = page.next
    } while after != nil
    #expect(segments == whole.segments)
    #expect(files == whole.files)
  }

  @Test("of a segment that is moved, the file that is read first is the one")
  func moved() throws {
    let rig = try Self.rig()
    let bytes = try rig.bytes(PrimaryRig.segment(1))
    try rig.put(.segment(number: 1, isPacked: false, isArchived: true), String(decoding: bytes, as: UTF8.self))
    #expect(try rig.directory.segmentsRead().first?.text == "journal/000000000001.segment")
    try rig.remove(PrimaryRig.segment(1))
    #expect(
      try rig.directory.segmentsRead().filter { $0.segment == 1 }.map(\.text) == [
        "journal/archive/000000000001.segment"
      ])
  }

  @Test("a link leads nowhere, and a folder is no file")
  func links() throws {
    let rig = try Self.rig()
    try rig.remove(.tokens)
    try FileManager.default.createSymbolicLink(
      atPath: rig.directory.path(of: .tokens).string, withDestinationPath: "/etc/hostname")
    #expect(try rig.directory.openIfThere(.tokens) == nil)
    try rig.remove(Self.blob("0a"))
    try FileManager.default.createDirectory(
      atPath: rig.directory.path(of: Self.blob("0a")).string, withIntermediateDirectories: true)
    #expect(try rig.directory.openIfThere(Self.blob("0a")) == nil)
    let manifest = try rig.directory.manifest(after: nil) { rig.extent }
    #expect(!manifest.files.map(\.place).contains(.tokens))
    #expect(!manifest.files.map(\.place).contains(Self.blob("0a")))
  }

  @Test("a version is another one as soon as the file is written to or replaced, and an open file stays what it was")
  func versions() throws {
    let rig = try Self.rig()
    let first = try rig.directory.open(.tokens)
    #expect(try rig.directory.open(.tokens).version == first.version)
    try rig.put(.tokens, "others")
    let second = try rig.directory.open(.tokens)
    #expect(second.version != first.version)
    #expect(try first.read(at: 0, count: 100) == Array("tokens".utf8))
    #expect(try second.read(at: 2, count: 3) == Array("her".utf8))
  }

  @Test("an archive elsewhere is served under the name of one that lies here")
  func archive() throws {
    let rig = try Self.rig()
    let elsewhere = rig.data.appending("elsewhere")
    try FileManager.default.createDirectory(atPath: elsewhere.string, withIntermediateDirectories: true)
    try FileManager.default.moveItem(
      atPath: rig.directory.path(of: PrimaryRig.segment(1)).string,
      toPath: elsewhere.appending("000000000001.segment").string)
    let directory = ServedDirectory(data: rig.data, archive: elsewhere)
    let manifest = try directory.manifest(after: nil) { rig.extent }
    #expect(manifest.segments.map(\.file.path).contains("journal/archive/000000000001.segment"))
    #expect(manifest.identity.oldestSegment == 1)
  }

  @Test("each look tells what has changed since the one before")
  func changes() throws {
    let rig = try Self.rig()
    var watch = try ChangeWatch(rig.directory)
    #expect(try watch.changes() == [])
    // The journal's own end is the stream's matter.
    try rig.append(12)
    #expect(try watch.changes() == [])
    try rig.put(.snapshot(position: 20), "new")
    try rig.put(.tokens, "tokens of today")
    let told = try watch.changes()
    #expect(
      told == [
        .file(try rig.directory.open(.snapshot(position: 20)).described(as: .snapshot(position: 20))),
        .file(try rig.directory.open(.tokens).described(as: .tokens)),
      ])
    #expect(try watch.changes() == [])
    try rig.remove(.snapshot(position: 3))
    #expect(try watch.changes() == [.changed])
    // Written anew, as an erasure does.
    try Data(try rig.bytes(PrimaryRig.segment(1))).write(
      to: URL(fileURLWithPath: rig.directory.path(of: PrimaryRig.segment(1)).string), options: .atomic)
    #expect(try watch.changes() == [.changed])
    try rig.put(.segment(number: 1, isPacked: true, isArchived: false), "packed")
    #expect(try watch.changes() == [.changed])
  }
}
