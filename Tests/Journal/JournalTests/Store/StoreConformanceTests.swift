import Foundation
import Journal
import StoreConformance
import SystemPackage
import Testing

@Suite("Journals in files, as every store must be")
struct StoreConformanceTests {
  @Test("on a disk that fails when it is told to", arguments: StoreCheck.all)
  func faulty(check: StoreCheck) throws { try check.run(FilesRig.faulty()) }

  @Test("on the real disk", arguments: StoreCheck.all.filter { !$0.needsFaults })
  func real(check: StoreCheck) throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "store-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    try check.run(FilesRig.real(folder))
  }

  @Test("each error of a journal has one meaning, whatever the store")
  func failures() {
    let file: FilePath = "/journal/000000000001.segment"
    let full = StorageError(.noSpace, .write, file)
    let broken = StorageError(.ioError, .write, file)
    let cases: [(JournalError, JournalFailure?)] = [
      (.relieved(directory: "/journal", epoch: 1, by: 4), .fenced(epoch: 4)),
      (.epochFell(file: file, from: 3, to: 2), .fenced(epoch: 3)),
      (.followsAnother(directory: "/journal"), .fenced(epoch: nil)),
      (.locked(directory: "/journal"), .unavailable), (.storage(broken), .unavailable), (.overloaded, .unavailable),
      (.storageFull, .full), (.storage(full), .full),
      (.missingSegment(file), .damaged), (.historyChanged(file), .damaged),
      (.startingPointBeyondEnd(directory: "/journal", point: 2, end: 1), .damaged),
      (.keyTooLong, nil), (.segmentInUse(file), nil),
    ]
    for (error, failure) in cases { #expect(error.failure == failure, "\(error)") }
    #expect(SnapshotError.storage(full).failure == .full && SnapshotError.storage(broken).failure == .unavailable)
    #expect(SnapshotError.incomplete(file: file, byteCount: 3).failure == .damaged)
  }
}
