/// Memory for the plain bytes of the frames from one restart point to the next.
///
/// Safe to share: the one decoder that has it writes behind what it has handed on, and gets it again only when nobody
/// reads there any more.
public final class PlainWindow: @unchecked Sendable {
  let base: UnsafeMutableRawPointer

  public init() { base = .allocate(byteCount: FormatLimits.windowByteCount, alignment: 16) }

  deinit { base.deallocate() }
}

/// A frame that was unpacked, where it lies in its window; valid as long as the window holds it.
public struct UnpackedFrame: @unchecked Sendable {
  // Safe to share: who hands it on sees to the window, and nobody writes to the bytes that it has.
  public let frame: ScannedFrame
  private let plain: UnsafeRawBufferPointer

  init(frame: ScannedFrame, plain: UnsafeRawBufferPointer) {
    self.frame = frame
    self.plain = plain
  }

  /// Hands each record to `body`, in order.
  ///
  /// - Throws: `FormatError.recordDamaged`, or what `body` throws.
  public func forEachRecord(_ body: (borrowing RecordView) throws -> Void) throws {
    var cursor = RecordCursor(plain: plain, header: frame.header)
    while let record = try cursor.next() { try body(record) }
  }
}
