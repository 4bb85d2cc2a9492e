import Foundation
import JournalFormat
import SystemPackage
import Testing

@testable import Journal

@Suite("Golden journal, format 1 with a packed segment", .serialized)
struct PackGoldenTests {
  private static let directory = GoldenTests.directory.deletingLastPathComponent().appending(path: "v1-packed")

  @Test("every record is read as it was written, and the hashes are those of the journal that was packed")
  func reads() throws {
    let reader = JournalReader(directory: FilePath(Self.directory.path))
    var found: [PendingRecord] = []
    try reader.forEachRecord { found.append(PendingRecord($0)) }
    #expect(found == sampleRecords(240, seed: 1))
    let report = try reader.verify()
    #expect(report.headHashHex == GoldenTests.headHash)
    #expect(report.packedSegments == 1 && report.segments == 2 && report.records == 240)
  }

  @Test(
    "is made anew, by hand only, before packed format 1 is released",
    .enabled(if: ProcessInfo.processInfo.environment["CARILLON_REGENERATE_GOLDEN_PACKED"] == "1"))
  func regenerate() throws {
    try? FileManager.default.removeItem(at: Self.directory)
    try FileManager.default.copyItem(at: GoldenTests.directory, to: Self.directory)
    #expect(try SegmentPacker(directory: FilePath(Self.directory.path)).pack().segments == [1])
    try FileManager.default.removeItem(at: Self.directory.appending(path: "MAINTENANCE"))
  }
}
