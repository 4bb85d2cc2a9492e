import EngineKit
import EntityRuntime
import EventSourcing
import Foundation
import Journal
import JournalFormat
import Logging
import StandbyWire
import Synchronization
import SystemPackage

@testable import StandbyEngine

/// A journal on a real disk with small segments, its writer, and what serves standbys; its clock stands still until it
/// is told to move.
final class PrimaryRig: Sendable {
  let data: FilePath
  let writer: JournalWriter
  let time = ManualTime(start: Timestamp(milliseconds: 1_700_000_000_000))
  let source: RigSource
  let directory: ServedDirectory
  let service: StandbyService
  let node: Node
  /// Why the primary was to end.
  let reasons = Reasons()

  static let name = StandbyName("blue") ?? { preconditionFailure("a good name") }()

  init() throws {
    data = FilePath(NSTemporaryDirectory()).appending("carillon-standby-\(UUID().uuidString)")
    var configuration = JournalConfiguration()
    configuration.segmentByteCount = 16 * 1024
    // Long enough that nothing is written by itself.
    configuration.idleInterval = .seconds(600)
    configuration.lazyInterval = .seconds(600)
    (writer, _) = try JournalWriter.open(
      directory: data.appending("journal"), configuration: configuration, onFatal: { _ in }, replay: { _ in })
    var environment = EngineEnvironment()
    environment.time = time
    node = Node(
      NodeConfiguration(), environment: environment, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
    source = RigSource(writer)
    directory = ServedDirectory(data: data, archive: nil)
    service = StandbyService(node, directory: directory, source: source) { [reasons] in reasons.add($0) }
  }

  deinit {
    try? writer.close()
    try? FileManager.default.removeItem(atPath: data.string)
  }

  /// Each in a commit of its own, with a payload that does not shrink.
  func append(_ count: Int, byteCount: Int = 1_500) throws {
    var generator = SystemRandomNumberGenerator()
    for _ in 0..<count {
      let payload = (0..<byteCount).map { _ in UInt8.random(in: 0...255, using: &generator) }
      try writer.waitUntilDurable(
        try writer.append(
          kind: 1, key: "k", sequence: writer.lastPosition + 1, timeMilliseconds: 1_700_000_000_000, tag: 1,
          payload: payload, lazy: true))
    }
  }

  var extent: StandbyExtent { StandbyExtent(writer.durableExtent) }

  /// A file of the data directory, made whole with the folders above it.
  func put(_ place: StandbyPath, _ text: String) throws {
    let path = directory.path(of: place)
    try FileManager.default.createDirectory(
      atPath: path.removingLastComponent().string, withIntermediateDirectories: true)
    try Data(text.utf8).write(to: URL(fileURLWithPath: path.string), options: .atomic)
  }

  func remove(_ place: StandbyPath) throws {
    try FileManager.default.removeItem(atPath: directory.path(of: place).string)
  }

  func bytes(_ place: StandbyPath) throws -> [UInt8] {
    Array(try Data(contentsOf: URL(fileURLWithPath: directory.path(of: place).string)))
  }

  static func segment(_ number: UInt64) -> StandbyPath {
    .segment(number: number, isPacked: false, isArchived: false)
  }

  /// Ends of frames in a segment as it is now, with their chain hashes; the first is that of the header.
  func ends(ofSegment number: UInt64) throws -> [(offset: Int, chainHash: Hash256)] {
    let bytes = try bytes(Self.segment(number))
    return try bytes.withUnsafeBytes { bytes in
      var scanner = try SegmentScanner(bytes)
      var ends = [(scanner.offset, scanner.header.previousHash)]
      while let frame = try scanner.next() { ends.append((frame.endOffset, frame.header.chainHash)) }
      return ends
    }
  }
}

/// The rig's writer as standbys' primary.
final class RigSource: DurableSource {
  private struct State {
    var heard: [UInt32] = []
    var acknowledged: [UInt64] = []
    var isOpen = true
    var isFull = false
  }

  private let writer: JournalWriter
  private let state = Mutex(State())

  init(_ writer: JournalWriter) { self.writer = writer }

  var extent: StandbyExtent? { state.withLock { $0.isOpen } ? StandbyExtent(writer.durableExtent) : nil }
  let isAwaited = false
  var heard: [UInt32] { state.withLock { $0.heard } }
  var acknowledged: [UInt64] { state.withLock { $0.acknowledged } }

  func close() { state.withLock { $0.isOpen = false } }
  /// From now on nothing can be written down.
  func fill() { state.withLock { $0.isFull = true } }

  func onDurable(_ hook: @escaping @Sendable (_ position: UInt64) -> Void) {
    writer.onDurable { hook($0.position) }
  }

  func heard(of epoch: UInt32) throws {
    try state.withLock { state in
      guard !state.isFull else { throw JournalError.storageFull }
      state.heard.append(epoch)
    }
  }

  func acknowledged(_ position: UInt64) { state.withLock { $0.acknowledged.append(position) } }
}

/// What was said, in its order.
final class Reasons: Sendable {
  private let texts = Mutex<[String]>([])

  var all: [String] { texts.withLock { $0 } }
  func add(_ text: String) { texts.withLock { $0.append(text) } }
}

/// A standby that keeps in memory what it is sent.
struct ListeningStandby {
  private var parser = StandbyMessageParser()
  /// All messages so far but bytes.
  private(set) var messages: [StandbyMessage] = []
  private(set) var segments: [UInt64: [UInt8]] = [:]
  /// Files that were named, with the end of the bytes before.
  private(set) var files: [(file: StandbyFile, place: StandbyPlace)] = []
  /// Where the next bytes are due.
  private(set) var place: StandbyPlace

  init(from place: StandbyPlace) { self.place = place }

  /// Takes what the stream gives until `isEnough`; false if it ended before.
  mutating func listen(
    to stream: StandbyStream, until isEnough: (ListeningStandby) -> Bool
  ) async throws -> Bool {
    while !isEnough(self) {
      guard let bytes = try await stream.next() else { return false }
      parser.append(bytes)
      while let message = try parser.next() { take(message) }
    }
    return true
  }

  /// Listens until all up to a place has come and was marked.
  mutating func listen(to stream: StandbyStream, upTo extent: StandbyExtent) async throws -> Bool {
    try await listen(to: stream) { standby in standby.mark?.place == extent.place && standby.place == extent.place }
  }

  var mark: StandbyMessage.Mark? {
    for case .mark(let mark) in messages.reversed() { return mark }
    return nil
  }

  private mutating func take(_ message: StandbyMessage) {
    switch message {
    case .bytes(let start, let bytes):
      precondition(start == place, "bytes of \(start) where those of \(place) are due")
      segments[start.segment, default: []] += bytes
      place.offset += bytes.count
    case .sealed(let segment, _, _):
      precondition(segment == place.segment, "segment \(segment) ends in the middle of another")
      place = StandbyPlace(segment: segment + 1, offset: 0)
      messages.append(message)
    case .file(let file):
      files.append((file, place))
      messages.append(message)
    default: messages.append(message)
    }
  }
}
