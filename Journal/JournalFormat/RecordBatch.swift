/// Records that wait to become frames, already encoded; reused from commit to commit.
///
/// The records of one append are a unit: they go into one frame together. A frame takes units until it weighs the
/// unit maximum, so that no frame is larger than twice that.
public struct RecordBatch: ~Copyable {
  private var store = ByteStore(capacity: 16 * 1024)
  public private(set) var frames: [FrameDraft] = []
  private let unitByteCountMaximum: Int
  private var unitStart = FrameDraft(firstPosition: 0, timeMilliseconds: 0, plainStart: 0)
  private var unitFrameCount = 0

  /// - Parameter unitByteCountMaximum: see `FormatLimits.unitByteCountMaximum(segmentByteCount:)`.
  public init(unitByteCountMaximum: Int) { self.unitByteCountMaximum = unitByteCountMaximum }

  public var isEmpty: Bool { frames.isEmpty }
  /// Plain bytes of all frames.
  public var byteCount: Int { store.count }

  /// - Parameter capacityMaximum: memory beyond it is given back.
  public mutating func removeAll(keepingAtMost capacityMaximum: Int) {
    store.truncate(to: 0)
    if store.capacity > capacityMaximum { store = ByteStore(capacity: 16 * 1024) }
    frames.removeAll(keepingCapacity: true)
  }

  /// Begins the records of one append.
  ///
  /// - Parameter firstPosition: of the first record to come; one more than the last one in the batch, if there is one.
  public mutating func beginUnit(firstPosition: UInt64, timeMilliseconds: Int64) {
    if let last = frames.last {
      unitStart = last
      unitFrameCount = frames.count
      if last.byteCount < unitByteCountMaximum, last.recordCount < FormatLimits.frameRecordCountMaximum / 2 { return }
    } else {
      unitFrameCount = 0
    }
    frames.append(
      FrameDraft(firstPosition: firstPosition, timeMilliseconds: timeMilliseconds, plainStart: store.count))
  }

  /// Takes back what was appended since `beginUnit`.
  public mutating func cancelUnit() {
    frames.removeLast(frames.count - unitFrameCount)
    if unitFrameCount > 0 {
      frames[unitFrameCount - 1] = unitStart
      store.truncate(to: unitStart.plainEnd)
    } else {
      store.truncate(to: 0)
    }
  }

  /// Encodes one record of the unit that was begun.
  ///
  /// - Throws: when key or unit are too large; the caller then cancels the unit.
  public mutating func append(
    kind: UInt8, key: UnsafeRawBufferPointer, sequence: UInt64, timeMilliseconds: Int64, tag: UInt16,
    payload: UnsafeRawBufferPointer
  ) throws(RecordRejection) {
    guard key.count <= FormatLimits.keyByteCountMaximum else { throw .keyTooLong }
    let current = frames.count - 1
    let tagAndFlag = UInt64(tag) << 1
    let delta = Varint.zigzag(timeMilliseconds &- frames[current].timeMilliseconds)
    let fixed =
      1 + Varint.byteCount(tagAndFlag) + Varint.byteCount(UInt64(key.count)) + Varint.byteCount(sequence)
      + Varint.byteCount(delta)
    let body = fixed + key.count + min(payload.count, FormatLimits.unitByteCountMaximum)
    let total = Varint.byteCount(UInt64(body)) + body
    let unitBytes = unitByteCount(adding: total)
    guard payload.count <= FormatLimits.unitByteCountMaximum, unitBytes <= unitByteCountMaximum,
      unitRecordCount < FormatLimits.frameRecordCountMaximum / 2
    else { throw .unitTooLarge(limit: unitByteCountMaximum) }

    var place = Varint.write(UInt64(body), to: store.reserve(total))
    place.storeBytes(of: kind, as: UInt8.self)
    place = Varint.write(tagAndFlag, to: place + 1)
    place = Varint.write(UInt64(key.count), to: place)
    if let bytes = key.baseAddress { place.copyMemory(from: bytes, byteCount: key.count) }
    place = Varint.write(sequence, to: place + key.count)
    place = Varint.write(delta, to: place)
    if let bytes = payload.baseAddress { place.copyMemory(from: bytes, byteCount: payload.count) }
    store.advance(total)
    frames[current].plainEnd = store.count
    frames[current].recordCount += 1
  }

  /// The plain bytes of one of `frames`; valid until the batch is changed.
  func plainBytes(of frame: FrameDraft) -> UnsafeRawBufferPointer {
    store.bytes.slice(frame.plainStart..<frame.plainEnd)
  }

  private var startsFrame: Bool { frames.count > unitFrameCount }

  private var unitRecordCount: Int {
    (frames.last?.recordCount ?? 0) - (startsFrame ? 0 : unitStart.recordCount)
  }

  private func unitByteCount(adding bytes: Int) -> Int {
    (frames.last?.byteCount ?? 0) - (startsFrame ? 0 : unitStart.byteCount) + bytes + FormatLimits.saltByteCount
  }
}

/// A frame to be: a stretch of a batch.
public struct FrameDraft: Sendable {
  public let firstPosition: UInt64
  public let timeMilliseconds: Int64
  public let plainStart: Int
  public internal(set) var plainEnd: Int
  public internal(set) var recordCount = 0

  init(firstPosition: UInt64, timeMilliseconds: Int64, plainStart: Int) {
    self.firstPosition = firstPosition
    self.timeMilliseconds = timeMilliseconds
    self.plainStart = plainStart
    plainEnd = plainStart
  }

  /// Records and salts: what the body of the frame takes at most.
  public var byteCount: Int { plainEnd - plainStart + recordCount * FormatLimits.saltByteCount }
  /// The position of the last record.
  public var lastPosition: UInt64 { firstPosition + UInt64(recordCount) - 1 }
  /// The most that the whole frame takes on the disk.
  public var frameByteCountMaximum: Int { FrameHeader.byteCount + byteCount }
}

/// Why a record cannot be taken.
public enum RecordRejection: Error, Sendable, Equatable {
  case keyTooLong
  /// The records of one append together; the limit is in bytes, encoded and with salts.
  case unitTooLarge(limit: Int)
}
