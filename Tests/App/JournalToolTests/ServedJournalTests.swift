import Foundation
import Journal
import JournalFormat
import StandbyFollower
import StandbyWire
import SystemPackage
import Testing

@testable import carillon

@Suite("The journal of a server, for one that rejoins")
struct ServedJournalTests {
  /// A server that answers with pages made before.
  private struct Served: Primary {
    /// By the path behind which they begin.
    let pages: [String: StandbyManifest]
    var bytes: [UInt8] = []

    func manifest(
      after: StandbyPath?, _ caller: PrimaryCaller
    ) async throws(PrimaryFailure) -> StandbyManifest {
      guard caller.epoch == 7, let page = pages[after?.text ?? ""] else { throw .status(404) }
      return page
    }

    func file(
      _ file: StandbyFile, _ caller: PrimaryCaller, _ take: @Sendable ([UInt8]) async throws(PrimaryFailure) -> Void
    ) async throws(PrimaryFailure) {
      for byte in bytes { try await take([byte]) }
    }

    func stream(
      from place: StandbyPlace, chain: Hash256?, _ caller: PrimaryCaller
    ) async throws(PrimaryFailure) -> any PrimaryStream { throw .status(404) }

    func acknowledge(_ word: StandbyAcknowledgement, _ caller: PrimaryCaller) async throws(PrimaryFailure) {}
  }

  private static func place(_ number: UInt64) -> StandbyPath {
    .segment(number: number, isPacked: number == 1, isArchived: number == 1)
  }

  private static func page(_ numbers: [UInt64], next: UInt64? = nil) -> StandbyManifest {
    StandbyManifest(
      identity: JournalIdentity(oldestSegment: 1, oldestID: SegmentID(high: 1, low: 1)), epoch: 3,
      place: StandbyPlace(segment: 9, offset: 4096), position: 0,
      segments: numbers.map { number in
        StandbyManifest.Segment(
          id: SegmentID(high: number, low: 1), file: StandbyFile(place(number), byteCount: 3, version: "v"),
          isSealed: true)
      }, files: [], next: next.map { place($0) })
  }

  @Test("all pages count, and a segment comes under the name that it has there")
  func pages() async throws {
    let server = Served(
      pages: ["": Self.page([1, 2], next: 2), Self.place(2).text: Self.page([3])], bytes: [1, 2, 3])
    let served = try await ServedJournal(server, epoch: 7)
    #expect(served.journal.epoch == 3)
    #expect(served.journal.segments == [1, 2, 3].reduce(into: [:]) { $0[$1] = SegmentID(high: $1, low: 1) })
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("served-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    for (number, name) in [(1, "000000000001.packed"), (3, "000000000003.segment")] as [(UInt64, String)] {
      try await served.fetch(number, into: FilePath(folder.path))
      #expect(try Data(contentsOf: folder.appendingPathComponent(name)) == Data([1, 2, 3]))
    }
    await #expect(throws: PrimaryFailure.wire(.document)) { try await served.fetch(4, into: FilePath(folder.path)) }
    await #expect(throws: PrimaryFailure.self) { try await served.fetch(1, into: FilePath(folder.path)) }
  }

  @Test("pages that come to no end, and a server that refuses, end the reading")
  func refused() async {
    let endless = Self.page([2], next: 2)
    await #expect(throws: PrimaryFailure.wire(.document)) {
      _ = try await ServedJournal(Served(pages: ["": endless, Self.place(2).text: endless]), epoch: 7)
    }
    await #expect(throws: PrimaryFailure.status(404)) { _ = try await ServedJournal(Served(pages: [:]), epoch: 7) }
    let failure = CommandFailure(PrimaryFailure.status(404), of: "http://b")
    #expect(failure.status == .unavailable && failure.text == "http://b answers 404")
  }
}
