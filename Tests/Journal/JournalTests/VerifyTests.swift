import SystemPackage
import Testing

@testable import Journal
@testable import JournalFormat

@Suite("Journal, verification of frames together")
struct VerifyTests {
  /// Where the frames of the first segment with records stand, and where their bodies do.
  private static func frames(_ storage: FaultyStorage) throws -> [ScannedFrame] {
    let bytes = try #require(storage.files[firstSegment])
    return try bytes.withUnsafeBytes { bytes in
      var scanner = try SegmentScanner(bytes)
      var frames: [ScannedFrame] = []
      while let frame = try scanner.next() { frames.append(frame) }
      return frames.filter { !$0.header.isEmpty }
    }
  }

  /// Changes the header of a frame and gives the frame a right checksum.
  private static func forge(
    _ storage: FaultyStorage, _ frame: ScannedFrame, _ change: (inout FrameHeader) -> Void
  ) {
    storage.update(firstSegment) { bytes in
      bytes.withUnsafeMutableBytes { bytes in
        var header = frame.header
        change(&header)
        let seed = UnsafeRawBufferPointer(bytes).little(4092, as: UInt32.self)
        header.encode(into: UnsafeMutableRawBufferPointer(rebasing: bytes[frame.offset..<frame.endOffset]), seed: seed)
      }
    }
  }

  @Test("a broken frame is named, wherever it stands among those that are checked together", arguments: [0, 1, 7, 30])
  func names(index: Int) throws {
    let storage = try SealedJournal().copy()
    let frame = try Self.frames(storage)[index]
    Self.forge(storage, frame) { $0.timeMilliseconds += 1 }
    let expected = JournalError.damaged(
      file: TestJournal.directory.appending(firstSegment), offset: frame.offset, reason: .chainBroken)
    let reader = JournalReader(directory: TestJournal.directory, storage: storage)
    #expect(throws: expected) { try reader.verify() }
    #expect(throws: expected) { try reader.walk(checkingHashes: true) }
    // A start checks checksums only.
    _ = try reader.walk()
  }

  @Test("of two broken frames the first is named, also if the second cannot even be read")
  func first() throws {
    let storage = try SealedJournal().copy()
    let frames = try Self.frames(storage)
    Self.forge(storage, frames[3]) { $0.timeMilliseconds += 1 }
    Self.forge(storage, frames[6]) { $0.plainByteCount += 1 }
    let reader = JournalReader(directory: TestJournal.directory, storage: storage)
    #expect(
      throws: JournalError.damaged(
        file: TestJournal.directory.appending(firstSegment), offset: frames[3].offset, reason: .chainBroken)
    ) { try reader.verify() }
  }

  @Test("verification finds what a walk with hashes finds")
  func same() throws {
    let journal = try SealedJournal()
    let reader = JournalReader(directory: TestJournal.directory, storage: journal.storage)
    #expect(try reader.verify() == reader.walk(checkingHashes: true))
  }
}
