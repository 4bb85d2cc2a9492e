import Journal
import JournalFormat
import SimulatedDisk
import StandbyFollower
import StandbyWire
import Synchronization
import SystemPackage

/// A primary whose directory is in memory: it says what a server would say of what lies there.
final class MemoryPrimary: Primary {
  static let data: FilePath = "/primary"
  static let journal = data.appending("journal")

  private struct State {
    var epoch: UInt32 = 1
    var files: [String] = []
    var streams: [StandbyPlace] = []
    var acknowledged: StandbyAcknowledgement?
    /// Changes the bytes of a stream on their way.
    var distortion: (@Sendable ([UInt8]) -> [UInt8])?
    /// Paths that streams name with their next bytes.
    var announced: [String] = []
    var fetchHook: (@Sendable (String) throws -> Void)?
    var repeatsPages = false
    var acknowledgementsLost = 0

    mutating func takeAnnounced() -> [String] {
      defer { announced = [] }
      return announced
    }
  }

  let disk: MemoryDisk
  private let state = Mutex(State())

  init(_ disk: MemoryDisk = MemoryDisk()) { self.disk = disk }

  var epoch: UInt32 {
    get { state.withLock { $0.epoch } }
    set { state.withLock { $0.epoch = newValue } }
  }

  /// Each page of its manifest names itself as the one before the next.
  var repeatsPages: Bool {
    get { state.withLock { $0.repeatsPages } }
    set { state.withLock { $0.repeatsPages = newValue } }
  }

  /// So many acknowledgements do not reach it.
  var acknowledgementsLost: Int {
    get { state.withLock { $0.acknowledgementsLost } }
    set { state.withLock { $0.acknowledgementsLost = newValue } }
  }

  /// Paths of files that were fetched, in order.
  var fetchedFiles: [String] { state.withLock { $0.files } }
  /// Where streams began.
  var streams: [StandbyPlace] { state.withLock { $0.streams } }
  var acknowledged: StandbyAcknowledgement? { state.withLock { $0.acknowledged } }
  func distort(_ change: (@Sendable ([UInt8]) -> [UInt8])?) { state.withLock { $0.distortion = change } }

  /// Has the stream name a file before the bytes that come next.
  func announce(_ path: String) { state.withLock { $0.announced.append(path) } }
  /// Has `hook` called with the path of each file that is fetched, before it is sent.
  func onFetch(_ hook: @escaping @Sendable (String) throws -> Void) { state.withLock { $0.fetchHook = hook } }

  /// Puts a file into its directory.
  func put(_ path: String, _ bytes: [UInt8]) { disk.setContents(of: Self.data.pushing(FilePath(path)), to: bytes) }

  /// Writes records to its journal, each in a frame of its own.
  func write(_ count: Int, text: String = "hello", segmentByteCount: Int = 16 * 1024) throws {
    var configuration = JournalConfiguration()
    configuration.segmentByteCount = segmentByteCount
    let (writer, _) = try JournalWriter.open(
      directory: Self.journal, configuration: configuration, storage: disk, onFatal: { _ in }, replay: { _ in })
    for index in 0..<count {
      try writer.waitUntilDurable(
        try writer.append(
          kind: 1, key: "key", sequence: UInt64(index), timeMilliseconds: 1_770_000_000_000, tag: 1,
          payload: Array("\(text) \(index)".utf8) + (0..<60).map { UInt8(truncatingIfNeeded: index &* 37 &+ $0 &* $0) },
          lazy: true))
    }
    try writer.close()
  }

  // MARK: Primary

  func manifest(after: StandbyPath?, _ caller: PrimaryCaller) async throws(PrimaryFailure) -> StandbyManifest {
    try refuseLater(caller)
    var segments: [StandbyManifest.Segment] = []
    var files: [StandbyFile] = []
    var end = (place: StandbyPlace(segment: 1, offset: 0), position: UInt64(0))
    for (place, bytes) in served() {
      let file = StandbyFile(place, byteCount: bytes.count, version: Self.version(bytes))
      guard case .segment(_, let isPacked, _) = place else {
        files.append(file)
        continue
      }
      let (id, scanned) = Self.look(bytes, isPacked: isPacked)
      segments.append(StandbyManifest.Segment(id: id, file: file, isSealed: scanned?.isSealed ?? true))
    }
    segments.sort { $0.number < $1.number }
    if let last = segments.last, let bytes = served()[last.file.place],
      let scanned = Self.look(bytes, isPacked: false).1
    {
      end = (StandbyPlace(segment: last.number, offset: scanned.offset), scanned.position)
    }
    let oldest = segments.first
    return StandbyManifest(
      identity: JournalIdentity(oldestSegment: oldest?.number ?? 1, oldestID: oldest?.id ?? .none), epoch: epoch,
      place: end.place, position: end.position, segments: segments, files: files,
      next: repeatsPages ? .tokens : nil)
  }

  func file(
    _ file: StandbyFile, _ caller: PrimaryCaller, _ take: @Sendable ([UInt8]) async throws(PrimaryFailure) -> Void
  ) async throws(PrimaryFailure) {
    let hook = state.withLock { state in
      state.files.append(file.path)
      return state.fetchHook
    }
    do { try hook?(file.path) } catch { throw .unreachable("\(error)") }
    guard let bytes = served()[file.place] else { throw .refused(.noFile) }
    guard Self.version(bytes) == file.version else { throw .refused(.versionDiffers) }
    for offset in stride(from: 0, to: bytes.count, by: 5000) {
      try await take(Array(bytes[offset..<min(offset + 5000, bytes.count)]))
    }
  }

  func stream(
    from place: StandbyPlace, chain: Hash256?, _ caller: PrimaryCaller
  ) async throws(PrimaryFailure) -> any PrimaryStream {
    try refuseLater(caller)
    state.withLock { $0.streams.append(place) }
    let path = StandbyPath.segment(number: place.segment, isPacked: false, isArchived: false)
    guard served()[path] != nil else { throw .refused(.notKept) }
    return Stream(self, place)
  }

  func acknowledge(_ word: StandbyAcknowledgement, _ caller: PrimaryCaller) async throws(PrimaryFailure) {
    let isLost = state.withLock { state in
      guard state.acknowledgementsLost == 0 else {
        state.acknowledgementsLost -= 1
        return true
      }
      state.acknowledged = word
      return false
    }
    if isLost { throw .unreachable("lost on the way") }
  }

  private func refuseLater(_ caller: PrimaryCaller) throws(PrimaryFailure) {
    guard caller.epoch <= epoch else { throw .refused(.relieved) }
  }

  private func served() -> [StandbyPath: [UInt8]] {
    var found: [StandbyPath: [UInt8]] = [:]
    for path in disk.paths {
      var below = path
      guard below.removePrefix(Self.data), let place = StandbyPath(below.string) else { continue }
      found[place] = disk.contents(of: path)
    }
    return found
  }

  private static func version(_ bytes: [UInt8]) -> String {
    var hash: UInt64 = 14_695_981_039_346_656_037
    for byte in bytes { hash = (hash ^ UInt64(byte)) &* 1_099_511_628_211 }
    return String(hash, radix: 16)
  }

  fileprivate struct Scanned {
    let offset: Int
    let position: UInt64
    let isSealed: Bool
  }

  private static func look(_ bytes: [UInt8], isPacked: Bool) -> (SegmentID, Scanned?) {
    bytes.withUnsafeBytes { bytes in
      // A packed file holds the segment's header from byte 128 on, 16 bytes shorter at its beginning.
      if isPacked {
        return (
          SegmentID(
            high: UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: 144, as: UInt64.self)),
            low: UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: 152, as: UInt64.self))), nil
        )
      }
      guard var scanner = try? SegmentScanner(bytes) else { return (.none, nil) }
      while (try? scanner.next()) != nil {}
      return (
        scanner.header.id,
        Scanned(offset: scanner.offset, position: scanner.nextPosition - 1, isSealed: scanner.isSealed)
      )
    }
  }

  /// Sends what is there, and then what comes, until it is cancelled.
  private final class Stream: PrimaryStream {
    private let primary: MemoryPrimary
    private let state: Mutex<(place: StandbyPlace, hasBegun: Bool)>

    init(_ primary: MemoryPrimary, _ place: StandbyPlace) {
      self.primary = primary
      state = Mutex((place, false))
    }

    func next() async throws(PrimaryFailure) -> [UInt8]? {
      var idleCount = 0
      while !Task.isCancelled {
        // A server says each second how far it is, also if nothing has come.
        idleCount += 1
        if let bytes = state.withLock({ turn(&$0, saysAnyway: idleCount % 20 == 0) }) {
          return primary.state.withLock { $0.distortion }?(bytes) ?? bytes
        }
        // Another process would be waited for at a socket.
        do { try await Task.sleep(for: .milliseconds(1)) } catch { break }
      }
      throw .unreachable("stopped")
    }

    /// The next messages; nil if there is nothing to say.
    private func turn(_ state: inout (place: StandbyPlace, hasBegun: Bool), saysAnyway: Bool) -> [UInt8]? {
      let path = StandbyPath.segment(number: state.place.segment, isPacked: false, isArchived: false)
      let next = StandbyPath.segment(number: state.place.segment + 1, isPacked: false, isArchived: false)
      let served = primary.served()
      guard let bytes = served[path], let scanned = MemoryPrimary.look(bytes, isPacked: false).1 else { return nil }
      var messages: [StandbyMessage] = []
      let end = StandbyPlace(segment: state.place.segment, offset: scanned.offset)
      if !state.hasBegun {
        let identity = JournalIdentity(oldestSegment: 1, oldestID: .none)
        messages.append(.hello(.init(identity: identity, epoch: primary.epoch, place: end, position: scanned.position)))
        state.hasBegun = true
      }
      for path in primary.state.withLock({ $0.takeAnnounced() }) {
        guard let place = StandbyPath(path), let bytes = served[place] else { continue }
        messages.append(.file(StandbyFile(place, byteCount: bytes.count, version: MemoryPrimary.version(bytes))))
      }
      if state.place.offset < scanned.offset {
        for offset in stride(from: state.place.offset, to: scanned.offset, by: 3000) {
          messages.append(
            .bytes(
              StandbyPlace(segment: end.segment, offset: offset),
              Array(bytes[offset..<min(offset + 3000, scanned.offset)])))
        }
        state.place.offset = scanned.offset
      }
      if scanned.isSealed, served[next] != nil {
        messages.append(
          .sealed(segment: end.segment, fileByteCount: bytes.count, version: MemoryPrimary.version(bytes)))
        state.place = StandbyPlace(segment: end.segment + 1, offset: 0)
      }
      guard !messages.isEmpty || saysAnyway else { return nil }
      messages.append(
        .mark(.init(place: end, position: scanned.position, timeMilliseconds: 0, epoch: primary.epoch)))
      return messages.reduce(into: []) { bytes, message in message.append(to: &bytes) }
    }
  }
}
