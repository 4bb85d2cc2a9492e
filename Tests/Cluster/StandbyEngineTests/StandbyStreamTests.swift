import EngineKit
import EntityRuntime
import Journal
import JournalFormat
import StandbyWire
import Testing

@testable import StandbyEngine

@Suite("The stream to a standby", .timeLimit(.minutes(1)))
struct StandbyStreamTests {
  private static let start = StandbyPlace(segment: 1, offset: 0)

  @Test("brings the bytes of all segments, as they are on the disk, and then what comes")
  func whole() async throws {
    let rig = try PrimaryRig()
    try await rig.service.restored()
    try rig.append(25)
    let stream = try await rig.service.follow(PrimaryRig.name, from: Self.start, chainHash: .zero)
    var standby = ListeningStandby(from: Self.start)
    #expect(try await standby.listen(to: stream, upTo: rig.extent))
    try rig.append(25)
    #expect(try await standby.listen(to: stream, upTo: rig.extent))
    let newest = rig.extent.place.segment
    #expect(newest > 3)
    for number in 1...newest {
      let (sent, disk) = (try #require(standby.segments[number]), try rig.bytes(PrimaryRig.segment(number)))
      #expect(disk.starts(with: sent), "segment \(number)")
      #expect(disk[sent.count...].allSatisfy { $0 == 0 }, "segment \(number)")
    }
    guard case .hello(let hello) = standby.messages.first else { return #expect(Bool(false), "no hello") }
    #expect(hello.epoch == 1 && hello.identity.oldestSegment == 1 && hello.position == 25)
    // As the manifest has them, so that no standby fetches what has come.
    let sealed = standby.messages.compactMap { message -> StandbyFile? in
      guard case .sealed(let number, let count, let version) = message else { return nil }
      return StandbyFile(PrimaryRig.segment(number), byteCount: count, version: version)
    }
    #expect(sealed.map(\.place) == (1..<newest).map { PrimaryRig.segment($0) })
    let manifest = try rig.directory.manifest(after: nil) { rig.extent }
    #expect(sealed == manifest.segments.filter(\.isSealed).map(\.file))
    #expect(standby.mark?.position == 50)
    #expect(standby.mark?.timeMilliseconds == 1_700_000_000_000)
  }

  @Test("goes on at the end of any frame, and of any segment")
  func resumed() async throws {
    let rig = try PrimaryRig()
    try rig.append(12)
    for number in 1...rig.extent.place.segment {
      for end in try rig.ends(ofSegment: number) {
        let place = StandbyPlace(segment: number, offset: end.offset)
        let stream = try await rig.service.follow(PrimaryRig.name, from: place, chainHash: end.chainHash)
        var standby = ListeningStandby(from: place)
        #expect(try await standby.listen(to: stream, upTo: rig.extent))
      }
    }
  }

  @Test("is refused to whoever has another history, or more of it")
  func refused() async throws {
    let (rig, other) = (try PrimaryRig(), try PrimaryRig())
    try rig.append(12)
    try other.append(12)
    let newest = rig.extent.place.segment
    let (own, others) = (try rig.ends(ofSegment: newest), try other.ends(ofSegment: 1))
    let last = try #require(own.last)
    let foreign = others[1]
    for (segment, offset, chainHash, refusal) in [
      (1, foreign.offset, foreign.chainHash, .parted), (1, 0, foreign.chainHash, .parted),
      (1, 4096, last.chainHash, .parted), (newest, last.offset, foreign.chainHash, .parted),
      (newest, last.offset + 100, foreign.chainHash, .ahead), (newest + 1, 0, last.chainHash, .ahead),
      // The same frame in another place: the segment was written anew.
      (newest, own[1].offset, last.chainHash, .notKept),
    ] as [(UInt64, Int, Hash256, StandbyRefusal)] {
      await #expect(throws: refusal, "byte \(offset) of segment \(segment)") {
        try await rig.service.follow(
          PrimaryRig.name, from: StandbyPlace(segment: segment, offset: offset), chainHash: chainHash)
      }
    }
    try rig.put(.segment(number: 1, isPacked: true, isArchived: false), "packed")
    let second = try rig.ends(ofSegment: 2)[0]
    try rig.remove(PrimaryRig.segment(1))
    await #expect(throws: (any Error).self) {
      try await rig.service.follow(PrimaryRig.name, from: Self.start, chainHash: .zero)
    }
    try rig.remove(.segment(number: 1, isPacked: true, isArchived: false))
    await #expect(throws: StandbyRefusal.notKept) {
      try await rig.service.follow(PrimaryRig.name, from: Self.start, chainHash: .zero)
    }
    _ = try await rig.service.follow(
      PrimaryRig.name, from: StandbyPlace(segment: 2, offset: 0), chainHash: second.chainHash)
    rig.source.close()
    await #expect(throws: StandbyRefusal.notReady) {
      try await rig.service.follow(PrimaryRig.name, from: Self.start, chainHash: .zero)
    }
  }

  @Test("names a blob before the bytes of the record that names it")
  func blobs() async throws {
    let rig = try PrimaryRig()
    try await rig.service.restored()
    try rig.append(3)
    let stream = try await rig.service.follow(PrimaryRig.name, from: Self.start, chainHash: .zero)
    var standby = ListeningStandby(from: Self.start)
    #expect(try await standby.listen(to: stream, upTo: rig.extent))
    let blob = StandbyPath.blob(String(repeating: "ab", count: 32))
    try rig.put(blob, "content")
    rig.service.stored(rig.directory.path(of: blob))
    let before = standby.place
    try rig.append(1)
    #expect(try await standby.listen(to: stream, upTo: rig.extent))
    #expect(standby.files.map(\.file) == [try rig.directory.open(blob).described(as: blob)])
    #expect(standby.files.map(\.place) == [before])
    #expect(standby.place > before)
  }

  @Test("says each second where the primary is, also when nothing happens")
  func marks() async throws {
    let rig = try PrimaryRig()
    try rig.append(1)
    let stream = try await rig.service.follow(PrimaryRig.name, from: Self.start, chainHash: .zero)
    var standby = ListeningStandby(from: Self.start)
    #expect(try await standby.listen(to: stream, upTo: rig.extent))
    let count = standby.messages.count
    rig.time.advance(by: .seconds(1))
    #expect(try await standby.listen(to: stream) { $0.messages.count > count })
    #expect(standby.mark?.timeMilliseconds == 1_700_000_001_000)
  }

  /// A stream to a standby that has all.
  private static func followed(_ rig: PrimaryRig) async throws -> (StandbyStream, ListeningStandby) {
    try await rig.service.restored()
    try rig.append(1)
    let stream = try await rig.service.follow(PrimaryRig.name, from: start, chainHash: .zero)
    var standby = ListeningStandby(from: start)
    #expect(try await standby.listen(to: stream, upTo: rig.extent))
    // However long a stop has been quiet.
    rig.time.advance(by: .seconds(60))
    return (stream, standby)
  }

  /// What a stop comes to at last.
  private static func close(_ rig: PrimaryRig) throws {
    try rig.append(1)
    rig.service.finish()
    try rig.append(1)
    try rig.writer.close()
  }

  private static func acknowledge(_ standby: ListeningStandby, _ rig: PrimaryRig) throws {
    let position = try #require(standby.mark?.position)
    try rig.service.acknowledge(
      StandbyAcknowledgement(name: PrimaryRig.name, place: standby.place, position: position))
  }

  private static func passTime(of rig: PrimaryRig, until closing: Task<Void, Never>) async {
    let ticking = Task {
      while !Task.isCancelled {
        rig.time.advance(by: .seconds(1))
        rig.node.timers.fireDue()
        await Task.yield()
      }
    }
    await closing.value
    ticking.cancel()
  }

  @Test("goes on while the server stops, and ends once the journal is closed and all of it is acknowledged")
  func stopping() async throws {
    let rig = try PrimaryRig()
    let closing: Task<Void, Never>
    do {
      let (stream, followed) = try await Self.followed(rig)
      var standby = followed
      try Self.acknowledge(standby, rig)
      // What the requests and pushes under way bring.
      try rig.append(12)
      #expect(try await standby.listen(to: stream, upTo: rig.extent))
      try Self.acknowledge(standby, rig)
      try Self.close(rig)
      closing = Task { await rig.service.closed(until: .max) }
      while !Task.isCancelled, !rig.service.hasEnded { await Task.yield() }
      #expect(try await standby.listen(to: stream, upTo: rig.extent))
      #expect(standby.mark?.position == 15)
      // It may still fetch what was named.
      let count = standby.messages.count
      rig.time.advance(by: .seconds(1))
      rig.service.news.tell()
      #expect(try await standby.listen(to: stream) { $0.messages.count > count })
      try Self.acknowledge(standby, rig)
      let hasMore = try await standby.listen(to: stream) { _ in false }
      #expect(!hasMore)
    }
    await Self.passTime(of: rig, until: closing)
  }

  @Test("of a stop is not waited for, if the standby says nothing of its disk, or the time is over")
  func stoppingWithoutWord() async throws {
    let silent = try PrimaryRig()
    var (stream, standby) = try await Self.followed(silent)
    try Self.close(silent)
    let closing = Task { await silent.service.closed(until: .max) }
    while !Task.isCancelled, !silent.service.hasEnded { await Task.yield() }
    var hasMore = try await standby.listen(to: stream) { _ in false }
    #expect(!hasMore && standby.place == silent.extent.place)

    let late = try PrimaryRig()
    (stream, standby) = try await Self.followed(late)
    try Self.acknowledge(standby, late)
    try Self.close(late)
    await late.service.closed(until: late.service.now)
    hasMore = try await standby.listen(to: stream) { _ in false }
    #expect(!hasMore && standby.place < late.extent.place)
    await Self.passTime(of: silent, until: closing)
  }

  @Test("ends when the same standby comes again")
  func again() async throws {
    let rig = try PrimaryRig()
    let first = try await rig.service.follow(PrimaryRig.name, from: Self.start, chainHash: .zero)
    let second = try await rig.service.follow(PrimaryRig.name, from: Self.start, chainHash: .zero)
    var standby = ListeningStandby(from: Self.start)
    let hasMore = try await standby.listen(to: first) { _ in false }
    #expect(!hasMore)
    var other = ListeningStandby(from: Self.start)
    #expect(try await other.listen(to: second, upTo: rig.extent))
  }

  @Test("a cancelled reader of a silent stream is let go")
  func cancelled() async throws {
    let rig = try PrimaryRig()
    let stream = try await rig.service.follow(PrimaryRig.name, from: Self.start, chainHash: .zero)
    var standby = ListeningStandby(from: Self.start)
    #expect(try await standby.listen(to: stream, upTo: rig.extent))
    let reader = Task { try await stream.next() }
    reader.cancel()
    await #expect(throws: CancellationError.self) { try await reader.value }
  }

  @Test("what a standby acknowledges is told to whoever waits, and nothing else")
  func acknowledgements() async throws {
    let rig = try PrimaryRig()
    try rig.append(4)
    let stream = try await rig.service.follow(PrimaryRig.name, from: Self.start, chainHash: .zero)
    var standby = ListeningStandby(from: Self.start)
    #expect(try await standby.listen(to: stream, upTo: rig.extent))
    try rig.service.acknowledge(
      StandbyAcknowledgement(name: PrimaryRig.name, place: standby.place, position: 4))
    #expect(throws: StandbyRefusal.notFollowing) {
      try rig.service.acknowledge(
        StandbyAcknowledgement(name: PrimaryRig.name, place: standby.place, position: 5))
    }
    #expect(rig.source.acknowledged == [4])
  }

  @Test("a higher epoch is kept before anything else, and ends the primary")
  func relieved() async throws {
    let rig = try PrimaryRig()
    try await rig.service.hear(of: 0)
    try await rig.service.hear(of: 1)
    #expect(rig.source.heard.isEmpty && rig.reasons.all.isEmpty)
    await #expect(throws: StandbyRefusal.relieved) { try await rig.service.hear(of: 2) }
    #expect(rig.source.heard == [2])
    #expect(rig.reasons.all == ["another server has taken over in epoch 2, this one has written in epoch 1"])
  }

  @Test("an epoch far above the own one is nobody's: nothing is kept, and the server goes on")
  func incredible() async throws {
    let rig = try PrimaryRig()
    for epoch in [2 + JournalEpoch.leapMaximum, .max] {
      await #expect(throws: IncredibleEpoch(epoch: epoch, own: 1)) { try await rig.service.hear(of: epoch) }
    }
    #expect(rig.source.heard.isEmpty && rig.reasons.all.isEmpty)
    await #expect(throws: StandbyRefusal.relieved) { try await rig.service.hear(of: 1 + JournalEpoch.leapMaximum) }
  }

  @Test("a higher epoch that cannot be written down ends the server all the same, which says that it may come again")
  func heardOnFullDisk() async throws {
    let rig = try PrimaryRig()
    rig.source.fill()
    await #expect(throws: StandbyRefusal.relieved) { try await rig.service.hear(of: 2) }
    #expect(
      rig.reasons.all == [
        "another server has taken over in epoch 2, this one has written in epoch 1; this could not be written down "
          + "(the disk is full: make room, the journal goes on by itself): started again, the server goes on until it is "
          + "told again"
      ])
  }

  @Test("a file is sent as it was when it was named, whole or in part")
  func files() async throws {
    let rig = try PrimaryRig()
    try rig.append(12)
    let page = try await rig.service.manifest(after: nil)
    let segment = try #require(page.segments.first)
    let reader = try await rig.service.file(segment.file.place, version: segment.file.version)
    #expect(reader.byteCount == 16 * 1024)
    let disk = try rig.bytes(segment.file.place)
    for range in [0..<disk.count, 4096..<5000, 0..<0] {
      var sent: [UInt8] = []
      try await reader.send(range) { sent += $0 }
      #expect(sent == Array(disk[range]))
    }
    await #expect(throws: StandbyRefusal.versionDiffers) {
      try await rig.service.file(segment.file.place, version: "1-2-3.4")
    }
    await #expect(throws: StandbyRefusal.noFile) { try await rig.service.file(.tokens, version: "1") }
  }
}
