import Foundation
import Journal
import JournalFormat
import SystemPackage
import Testing

@Suite("Golden journal, format 1", .serialized)
struct GoldenTests {
  static let directory = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().appending(path: "Journal/Golden/v1")

  /// The chain hash of the last frame; it depends on every byte of every record and on no compressor.
  static let headHash = "46a51db88edb663f0d5a9026c531a86d4cae00214f1dd2fa86b85cfe7d3208b1"

  private static let records = sampleRecords(240, seed: 1)

  @Test("every record is read as it was written")
  func readsAll() throws {
    let reader = JournalReader(directory: FilePath(Self.directory.path))
    var found: [PendingRecord] = []
    try reader.forEachRecord { found.append(PendingRecord($0)) }
    #expect(found == Self.records)
  }

  @Test("hashes, frames and segments are what they were")
  func verifies() throws {
    let report = try JournalReader(directory: FilePath(Self.directory.path)).verify()
    #expect(report.headHashHex == Self.headHash)
    #expect(report.segments == 2)
    #expect(report.records == 240)
    #expect(report.tailByteCount == 0)
  }

  @Test("a writer goes on with it")
  func goesOn() throws {
    let copy = FileManager.default.temporaryDirectory.appending(path: "golden-\(UUID().uuidString)")
    try FileManager.default.copyItem(at: Self.directory, to: copy)
    defer { try? FileManager.default.removeItem(at: copy) }
    let journal = try TestJournal(DiskStorage(), directory: FilePath(copy.path), segmentByteCount: 16 * 1024)
    #expect(journal.replayed == Self.records)
    try journal.write(sampleRecords(10, from: 240))
    try journal.writer.close()
    #expect(
      try readBack(DiskStorage(), directory: FilePath(copy.path)) == Self.records + sampleRecords(10, from: 240))
  }

  @Test(
    "is made anew, by hand only, before format 1 is released",
    .enabled(if: ProcessInfo.processInfo.environment["CARILLON_REGENERATE_GOLDEN"] == "1"))
  func regenerate() throws {
    try? FileManager.default.removeItem(at: Self.directory)
    let journal = try TestJournal(DiskStorage(), directory: FilePath(Self.directory.path), segmentByteCount: 16 * 1024)
    try journal.write(Self.records, unit: 7)
    try journal.writer.close()
    try FileManager.default.removeItem(at: Self.directory.appending(path: "LOCK"))
  }
}
