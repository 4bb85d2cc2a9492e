import Foundation
import Journal
import JournalFormat
import SystemPackage
import Testing

@Suite("Journal on the real disk")
struct DiskStorageTests {
  private static func withDirectory(_ body: (FilePath) throws -> Void) throws {
    let url = FileManager.default.temporaryDirectory.appending(path: "journal-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: url) }
    try body(FilePath(url.appending(path: "deep/er").path))
  }

  @Test("is written, locked, read beside the writer, closed and opened")
  func roundTrip() throws {
    try Self.withDirectory { directory in
      let journal = try TestJournal(DiskStorage(), directory: directory)
      try journal.write(sampleRecords(500))
      #expect(try readBack(DiskStorage(), directory: directory) == sampleRecords(500))
      #expect(throws: JournalError.locked(directory: directory)) {
        try TestJournal(DiskStorage(), directory: directory)
      }
      try journal.writer.close()
      let again = try TestJournal(DiskStorage(), directory: directory)
      #expect(again.replayed == sampleRecords(500))
      try again.writer.close()
    }
  }

  @Test("segments have their full size from the beginning")
  func preallocated() throws {
    try Self.withDirectory { directory in
      let journal = try TestJournal(DiskStorage(), directory: directory, segmentByteCount: 16 * 1024)
      try journal.write(sampleRecords(900))
      try journal.writer.close()
      let names = try DiskStorage().list(directory).filter { $0.hasSuffix(".segment") }
      #expect(names.count > 2)
      for name in names {
        #expect(try DiskStorage().open(directory.appending(name), .read).size() == 16 * 1024)
      }
    }
  }

  @Test("an error of the disk carries what was tried, where and why")
  func errors() {
    #expect(throws: StorageError(.noSuchFileOrDirectory, .open, "/nowhere/file")) {
      try DiskStorage().open("/nowhere/file", .read)
    }
    #expect(throws: StorageError(.noSuchFileOrDirectory, .list, "/nowhere")) { try DiskStorage().list("/nowhere") }
  }

  @Test("readers beside a writer that rolls see whole records only")
  func liveReader() throws {
    try Self.withDirectory { directory in
      let journal = try TestJournal(DiskStorage(), directory: directory, segmentByteCount: 16 * 1024)
      let all = sampleRecords(1200)
      for start in stride(from: 0, to: all.count, by: 8) {
        try journal.writer.append(Array(all[start..<(start + 8)]))
        if start % 160 == 0 { #expect(all.starts(with: try readBack(DiskStorage(), directory: directory))) }
      }
      try journal.writer.close()
      #expect(try readBack(DiskStorage(), directory: directory) == all)
    }
  }
}
