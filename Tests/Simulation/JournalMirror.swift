import Journal
import JournalFormat
import SimulatedDisk
import SystemPackage

/// Reads the journal's files beside the engine, frame by frame as they become durable, with nothing but the format's own
/// scanner: what is in here is certain, whatever the engine believes.
final class JournalMirror {
  struct Record: Equatable {
    let position: UInt64
    let kind: UInt8
    let key: String
    let sequence: UInt64
    let timeMilliseconds: Int64
    let tag: UInt16
    let payload: [UInt8]
    let isRedacted: Bool
  }

  private let directory: FilePath
  private var segment: OpenSegment?
  private var nextNumber: UInt64 = 1
  private var decoder = FrameDecoder()
  /// All durable records, in order.
  private(set) var records: [Record] = []
  /// Of each its salted leaf, computed anew from what stands in the files.
  private(set) var leaves: [Hash256] = []
  /// A frame was written since `catchUp`.
  var isStale = true

  private struct OpenSegment {
    let path: FilePath
    let buffer: UnsafeMutableRawBufferPointer
    var scanner: SegmentScanner
  }

  init(directory: FilePath) { self.directory = directory }

  deinit { segment?.buffer.deallocate() }

  /// Takes in what has come since the last call; the bytes on `disk` are durable as they are.
  /// - Returns: the place of the first new record in `records`.
  /// - Throws: `FormatError`: the journal is damaged.
  func catchUp(on disk: MemoryDisk) throws -> Int {
    let first = records.count
    guard isStale else { return first }
    isStale = false
    while true {
      if segment == nil {
        guard try open(on: disk) else { return first }
      } else if let open = segment, let bytes = disk.contents(of: open.path) {
        bytes.withUnsafeBytes {
          open.buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[..<open.buffer.count]))
        }
      }
      try read()
      guard segment?.scanner.isSealed == true else { return first }
      segment?.buffer.deallocate()
      segment = nil
    }
  }

  private func open(on disk: MemoryDisk) throws -> Bool {
    let digits = String(nextNumber)
    let name = String(repeating: "0", count: 12 - digits.utf8.count) + digits + ".segment"
    let path = directory.appending(name)
    guard let bytes = disk.contents(of: path), bytes.contains(where: { $0 != 0 }) else { return false }
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: bytes.count, alignment: 16)
    bytes.withUnsafeBytes { buffer.copyMemory(from: $0) }
    do {
      segment = OpenSegment(
        path: path, buffer: buffer, scanner: try SegmentScanner(UnsafeRawBufferPointer(buffer)))
    } catch {
      buffer.deallocate()
      throw error
    }
    nextNumber += 1
    decoder.beginSegment()
    return true
  }

  private func read() throws {
    guard var open = segment else { return }
    defer { segment = open }
    let bytes = UnsafeRawBufferPointer(open.buffer)
    while let frame = try open.scanner.next() {
      var salt = frame.bodyOffset
      try decoder.forEachRecord(of: frame, in: bytes) { view in
        leaves.append(Self.leaf(of: view, salt: bytes[salt..<(salt + FormatLimits.saltByteCount)]))
        salt += FormatLimits.saltByteCount
        records.append(
          Record(
            position: view.position, kind: view.kind, key: view.keyText, sequence: view.sequence,
            timeMilliseconds: view.timeMilliseconds, tag: view.tag, payload: Array(view.payload),
            isRedacted: view.isRedacted))
      }
    }
  }

  private static func leaf(of view: borrowing RecordView, salt: Slice<UnsafeRawBufferPointer>) -> Hash256 {
    guard !view.isRedacted else { return Hash256(view.body) ?? .zero }
    return ChainHasher.leaf(salt: UnsafeRawBufferPointer(rebasing: salt), body: view.body)
  }
}
