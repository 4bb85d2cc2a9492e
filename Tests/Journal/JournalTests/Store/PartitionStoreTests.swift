import Foundation
import JournalFormat
import SystemPackage
import Testing

@testable import Journal

/// A data directory on the disk.
private final class PartitionFolder {
  static let layout = PartitionLayout(count: 3, seed: 0x0123_4567_89AB_CDEF)
  let data: FilePath
  var store: PartitionStore { PartitionStore(directory: data) }
  var file: FilePath { data.appending("PARTITIONS") }

  init() throws {
    let name = "carillon-partitions-\(UUID().uuidString)"
    data = FilePath(FileManager.default.temporaryDirectory.appending(path: name).path)
    try DiskStorage().createDirectory(data)
  }

  deinit { try? FileManager.default.removeItem(atPath: data.string) }

  /// With three partitions.
  static func made() throws -> PartitionFolder {
    let folder = try PartitionFolder()
    for partition in layout.partitions { try DiskStorage().createDirectory(folder.journal(partition.rawValue)) }
    #expect(try folder.store.make(layout) == layout)
    return folder
  }

  func journal(_ partition: UInt16) -> FilePath {
    Self.layout.journal(of: PartitionID(rawValue: partition), in: data)
  }

  /// Gives a partition's journal its first segment, and records.
  func write(_ records: Int, to partition: UInt16) throws {
    var configuration = JournalConfiguration()
    configuration.segmentByteCount = 16 * 1024
    let (writer, _) = try JournalWriter.open(
      directory: journal(partition), configuration: configuration, onFatal: { _ in }, replay: { _ in })
    for number in 0..<records {
      let position = try writer.append(
        kind: 200, key: "key", sequence: UInt64(number), timeMilliseconds: 1, tag: 1, payload: [], lazy: false)
      try writer.waitUntilDurable(position)
    }
    try writer.close()
  }

  func replace(_ bytes: [UInt8]) throws { try Data(bytes).write(to: URL(fileURLWithPath: file.string)) }

  func remove(_ path: FilePath) throws { try FileManager.default.removeItem(atPath: path.string) }
}

@Suite("How the journals of a data directory lie", .timeLimit(.minutes(1)))
struct PartitionStoreTests {
  private static let layout = PartitionFolder.layout

  @Test("the text is frozen, and each partition has a directory of its own")
  func text() throws {
    let text = "carillon partitions 1\ncount 3\nseed 0123456789abcdef\nchecksum eacff017\n"
    #expect(String(decoding: Self.layout.encoded(), as: UTF8.self) == text)
    #expect(try PartitionLayout.decode(Self.layout.encoded()) == Self.layout)
    let journals = Self.layout.partitions.map { Self.layout.journal(of: $0, in: "/data") }
    #expect(journals == ["/data/p0000/journal", "/data/p0001/journal", "/data/p0002/journal"])
    #expect(Self.layout.archive(of: PartitionID(rawValue: 2), below: "/old") == "/old/p0002")
    #expect(PartitionLayout.single.journal(of: .first, in: "/data") == "/data/journal")
    #expect(PartitionLayout.single.archive(of: .first, below: "/old") == "/old")
  }

  @Test("nothing was made, one journal was, or several were; and only as many are opened as were made")
  func reading() throws {
    let folder = try PartitionFolder()
    #expect(try folder.store.read() == nil)
    #expect(try folder.store.read(asking: 4) == nil)
    try DiskStorage().createDirectory(folder.data.appending("journal"))
    #expect(try folder.store.read(asking: 1) == .single)
    #expect(throws: PartitionError.countDiffers(directory: folder.data, made: 1, asked: 2)) {
      try folder.store.read(asking: 2)
    }
    let several = try PartitionFolder.made()
    #expect(try several.store.read(asking: 3) == Self.layout)
    for asked in [1, 2, 4] {
      #expect(throws: PartitionError.countDiffers(directory: several.data, made: 3, asked: asked)) {
        try several.store.read(asking: asked)
      }
    }
  }

  @Test("any other byte of the file is damage, and a later version is one")
  func damage() throws {
    let folder = try PartitionFolder.made()
    let bytes = Self.layout.encoded()
    let version = try #require(bytes.firstIndex(of: UInt8(ascii: "1")))
    for place in bytes.indices where place != version {
      var changed = bytes
      changed[place] ^= 1
      try folder.replace(changed)
      #expect(throws: PartitionError.damaged(folder.file), "\(place)") { try folder.store.read() }
    }
    for changed in [[], Array(bytes.dropLast()), bytes + [10], bytes + bytes, [UInt8](repeating: 7, count: 9_000)] {
      try folder.replace(changed)
      #expect(throws: PartitionError.damaged(folder.file)) { try folder.store.read() }
    }
    try folder.replace(Array("carillon partitions 2\nanything\n".utf8))
    #expect(throws: PartitionError.newerVersion(file: folder.file, version: 2)) { try folder.store.read() }
  }

  @Test("a partition that is missing is missed once others have records, and not while the directory is being made")
  func missing() throws {
    let folder = try PartitionFolder.made()
    try folder.write(0, to: 0)
    #expect(try folder.store.read(asking: 3) == Self.layout, "a crash has ended the first start")
    for partition: UInt16 in 1...2 { try folder.write(1, to: partition) }
    #expect(try folder.store.read(asking: 3) == Self.layout)
    try folder.remove(folder.journal(1).appending("000000000001.segment"))
    #expect(throws: PartitionError.missing(folder.journal(1))) { try folder.store.read(asking: 3) }
  }

  @Test("a partition's directory that is not there is missed at once, and none is opened by itself")
  func missingDirectory() throws {
    let folder = try PartitionFolder.made()
    #expect(try folder.store.make(PartitionLayout(count: 3, seed: 1)) == Self.layout, "the second takes what is there")
    try folder.remove(folder.data.appending("p0002"))
    #expect(throws: PartitionError.missing(folder.journal(2))) { try folder.store.read(asking: 3) }
    let part = folder.data.appending("p0001")
    #expect(throws: PartitionError.partition(part, of: folder.data)) {
      try PartitionStore(directory: part).read(asking: 1)
    }
  }

  @Test("partitions without the file are not taken for nothing, nor one journal beside them for theirs")
  func lost() throws {
    let folder = try PartitionFolder.made()
    try folder.remove(folder.file)
    #expect(try folder.store.read() == nil, "only directories: a crash before the file was there")
    try folder.write(0, to: 1)
    #expect(throws: PartitionError.lost(folder.file)) { try folder.store.read() }
    let mixed = try PartitionFolder.made()
    try DiskStorage().createDirectory(mixed.data.appending("journal"))
    #expect(throws: PartitionError.mixed(mixed.data)) { try mixed.store.read() }
  }
}
