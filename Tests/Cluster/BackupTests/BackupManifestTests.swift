import Journal
import JournalFormat
import StandbyWire
import Testing

@testable import Backup

@Suite("The manifest of a backup")
struct BackupManifestTests {
  private static func manifest() throws -> BackupManifest {
    let hash = try #require(Hash256(hexadecimal: String(repeating: "3b", count: 32)))
    let places = ["tokens.json", "journal/000000000012.segment", "journal/archive/000000000011.packed"]
    return BackupManifest(
      madeBy: "0.1.0", madeAt: 1_795_872_000_123, instance: SegmentName(number: 11, id: SegmentID(high: 7, low: 8)),
      ownEpoch: 3, toldEpoch: 4,
      end: JournalPoint(
        position: 4711, chainHash: hash, segmentNumber: 12, segmentID: SegmentID(high: 9, low: 10)),
      files: try places.map { path in
        BackupManifest.File(try #require(StandbyPath(path)), byteCount: path.utf8.count, hash: hash, version: "1-2-3.4")
      })
  }

  @Test("is read as it was written, its files in the order of their paths")
  func roundTrip() throws {
    let manifest = try Self.manifest()
    #expect(try BackupManifest(parsing: Array(manifest.text.utf8)) == manifest)
    #expect(manifest.files.map(\.place.text).first == "journal/000000000012.segment")
    var empty = manifest
    empty.files = []
    #expect(try BackupManifest(parsing: Array(empty.text.utf8)) == empty)
  }

  @Test("cut anywhere, or with any bit flipped, it is refused")
  func damage() throws {
    let bytes = Array(try Self.manifest().text.utf8)
    for count in 0..<bytes.count {
      #expect(throws: BackupError.self) { try BackupManifest(parsing: Array(bytes.prefix(count))) }
    }
    for index in bytes.indices {
      var changed = bytes
      changed[index] ^= 1 << UInt8(index % 8)
      #expect(throws: BackupError.self) { try BackupManifest(parsing: changed) }
    }
    #expect(throws: BackupError.self) { try BackupManifest(parsing: bytes + [10]) }
  }

  @Test(
    "lines that say what no manifest says are refused, whatever their hash",
    arguments: [
      ("version 0.1.0", "version 0.1.0 1"), ("made 1795872000123", "made -1"), ("epoch 3 4", "epoch 4 3"),
      ("epoch 3 4", "epoch 0 4"), ("instance 11", "instance 0"), ("end 4711", "end 99999999999999999999"),
      ("files 3", "files 2"), ("files 3", "files 4"), ("tokens.json", "../tokens.json"),
      ("tokens.json", "journal/000000000012.segment"), (" 11 1-2-3.4 tokens.json", " -1 1-2-3.4 tokens.json"),
    ])
  func nonsense(_ text: String, _ other: String) throws {
    let lines = try Self.manifest().text.split(separator: "\n").dropLast().joined(separator: "\n") + "\n"
    let changed = try #require(lines.contains(text) ? lines.replacing(text, with: other, maxReplacements: 1) : nil)
    let sealed = changed + "sha256 \(Hash256(digestOf: Array(changed.utf8)))\n"
    #expect(throws: BackupError.self) { try BackupManifest(parsing: Array(sealed.utf8)) }
  }

  @Test("a newer format is told from damage")
  func newer() throws {
    let text = try Self.manifest().text.replacing("carillon-backup 1", with: "carillon-backup 2")
    #expect(throws: BackupError.newerFormat(2)) { try BackupManifest(parsing: Array(text.utf8)) }
    #expect(throws: BackupError.self) { try BackupManifest(parsing: Array("carillon-backup x\n".utf8)) }
  }

  @Test("the header of a file in a stream is read as it was written, and not with any byte changed")
  func tar() throws {
    let long = "journal/" + String(repeating: "d", count: 90) + "/" + String(repeating: "n", count: 80)
    for name in ["MANIFEST", "journal/archive/000000000011.packed", long] {
      for byteCount in [0, 1, 512, 1 << 26, (1 << 33) - 1, 1 << 33, 1 << 45] {
        let header = TarHeader(name: name, byteCount: byteCount)
        #expect(TarHeader(try #require(header.encoded())) == header)
        #expect((byteCount + header.paddingByteCount) % 512 == 0 && header.paddingByteCount < 512)
      }
    }
    #expect(TarHeader(name: String(repeating: "n", count: 101), byteCount: 1).encoded() == nil)
    let block = try #require(TarHeader(name: "tokens.json", byteCount: 77).encoded())
    // All but the space behind the checksum count.
    for index in block.indices where index != 155 {
      var changed = block
      changed[index] &+= 1
      #expect(TarHeader(changed) == nil, "byte \(index)")
    }
  }

  @Test(
    "each file of a data directory has its place in the list",
    arguments: [
      ("tokens.json", true), ("journal/000000000001.segment", true), ("journal/redaction.intent", true),
      ("provider-tokens/apns-1", true), ("checkpoints/00000000000000000042.checkpoint", true), ("journal/EPOCH", false),
      ("journal/LOCK", false), ("journal/tree/0.hashes", false), ("journal/index/KEY", false),
      ("asleep/1.spill", false),
      ("tokens.json.lock", false), ("tokens.json.77.new", false), ("journal/next.preallocating", false),
      ("journal/000000000002.segment.11106.cut", false), ("journal/aside-promotion/snapshots/x", false),
      ("journal/copy/000000000001.segment", false), ("journal/STANDBY.json", false),
    ])
  func list(_ path: String, isKept: Bool) throws {
    let file = try #require(DataFile(path))
    if case .kept = file { #expect(isKept) } else { #expect(!isKept) }
  }

  @Test("what nobody has said anything of is in no list", arguments: ["keys.json", "journal/notes.txt", "blobs/x"])
  func unknown(_ path: String) { #expect(DataFile(path) == nil) }
}
