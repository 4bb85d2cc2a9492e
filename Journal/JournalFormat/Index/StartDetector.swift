/// Knows a start of the server by the restart point that its first frame is, when none is due. The first frame of a
/// segment always is one: a start that begins there leaves no trace.
public struct StartDetector: Sendable, Equatable {
  /// How long nothing was written before a start.
  public struct Silence: Sendable, Equatable {
    /// Of the first record after it.
    public let position: UInt64
    /// Milliseconds since 1970: of the last frame before it, and of the first one after it.
    public let from: Int64
    public let to: Int64

    init(position: UInt64, from: Int64, to: Int64) {
      self.position = position
      self.from = from
      self.to = to
    }
  }

  private var segmentNumber: UInt64 = 0
  private var plainByteCount: Int?
  private var lastTime: Int64?
  /// In a packed segment every frame is a restart point: nothing can be known there.
  private var isPacked = true

  public init() {}

  /// - Returns: how long nothing was written, if this frame is the first one after a start.
  public mutating func frame(_ frame: FrameHeader, segmentNumber number: UInt64) -> Silence? {
    let time = frame.timeMilliseconds
    defer { lastTime = time }
    if number != segmentNumber { (plainByteCount, isPacked) = (nil, true) }
    segmentNumber = number
    guard !frame.isEmpty else { return nil }
    if frame.codec == .lz4 || !frame.flags.contains(.restart) { isPacked = false }
    defer { plainByteCount = (frame.flags.contains(.restart) ? 0 : plainByteCount ?? 0) + frame.plainByteCount }
    guard frame.flags.contains(.restart), let plainByteCount, plainByteCount < FormatLimits.restartByteCount,
      !isPacked, let lastTime
    else { return nil }
    return Silence(position: frame.firstPosition, from: lastTime, to: time)
  }
}

/// What it knows, as a record index keeps it: 24 bytes.
extension StartDetector {
  static let byteCount = 24
  private static let hasLastTime: UInt8 = 1
  private static let hasPlainBytes: UInt8 = 2
  private static let isPackedFlag: UInt8 = 4

  func encode(into bytes: UnsafeMutableRawBufferPointer) {
    bytes.store(segmentNumber, little: 0)
    bytes.store(lastTime ?? 0, little: 8)
    bytes.store(UInt32(clamping: plainByteCount ?? 0), little: 16)
    let flags =
      (lastTime == nil ? 0 : Self.hasLastTime) | (plainByteCount == nil ? 0 : Self.hasPlainBytes)
      | (isPacked ? Self.isPackedFlag : 0)
    bytes.store(flags, little: 20)
  }

  init(_ bytes: UnsafeRawBufferPointer) {
    let flags = bytes.little(20, as: UInt8.self)
    segmentNumber = bytes.little(0, as: UInt64.self)
    lastTime = flags & Self.hasLastTime == 0 ? nil : bytes.little(8, as: Int64.self)
    plainByteCount = flags & Self.hasPlainBytes == 0 ? nil : Int(bytes.little(16, as: UInt32.self))
    isPacked = flags & Self.isPackedFlag != 0
  }
}
