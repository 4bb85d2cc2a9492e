public import JournalFormat

/// A place in the bytes of a journal's segments: always the end of a whole frame or of a segment's header, or the
/// beginning of a segment.
public struct StandbyPlace: Sendable, Hashable {
  /// The segment's number, from 1.
  public var segment: UInt64
  /// Bytes from the segment's beginning.
  public var offset: Int

  public init(segment: UInt64, offset: Int) {
    self.segment = segment
    self.offset = offset
  }
}

extension StandbyPlace: Comparable {
  public static func < (first: StandbyPlace, second: StandbyPlace) -> Bool {
    (first.segment, first.offset) < (second.segment, second.offset)
  }
}

extension StandbyPlace: CustomStringConvertible {
  public var description: String { "byte \(offset) of segment \(segment)" }
}

/// By what a journal is told from others: the oldest segment that is kept of it. Of two holders of one journal, the one
/// that keeps less finds its own oldest segment at the other, under the same id.
public struct JournalIdentity: Sendable, Hashable {
  public var oldestSegment: UInt64
  public var oldestID: SegmentID

  public init(oldestSegment: UInt64, oldestID: SegmentID) {
    self.oldestSegment = oldestSegment
    self.oldestID = oldestID
  }
}

extension SegmentID {
  /// 32 hexadecimal digits.
  public var hexadecimal: String { [high, low].map { Self.digits($0) }.joined() }

  /// - Parameter hexadecimal: as `hexadecimal` writes it.
  public init?(hexadecimal text: some StringProtocol) {
    let digits = String(text)
    guard digits.utf8.count == 32, let high = UInt64(digits.prefix(16), radix: 16),
      let low = UInt64(digits.suffix(16), radix: 16)
    else { return nil }
    self.init(high: high, low: low)
    // Upper case and signs are not how it is written.
    guard hexadecimal == digits else { return nil }
  }

  private static func digits(_ word: UInt64) -> String {
    let digits = String(word, radix: 16)
    return String(repeating: "0", count: 16 - digits.utf8.count) + digits
  }
}
