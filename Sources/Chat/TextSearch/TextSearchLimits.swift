/// The bounds of a search.
public struct TextSearchLimits: Sendable, Equatable {
  /// UTF-8 bytes of a word, folded; what a longer one has beyond them does not count. At most 255.
  public static let wordBytesMaximum = 48
  /// UTF-8 bytes of a text's words, folded; words beyond them are not found.
  public static let textBytesMaximum = 16_384
  /// UTF-8 bytes of a query, and its words. Of a run of ideographs each two neighbours are a word.
  public static let queryBytesMaximum = 256
  public static let queryWordsMaximum = 16

  /// Texts that are kept as they came, before they are sorted into a segment.
  public var headTextsMaximum = 1_024
  /// Segments of one size that become one of the next.
  public var segmentsMerged = 8
  /// Texts of the largest segments: the most that is written anew in one go.
  public var segmentTextsMaximum = 262_144
  /// Once so many of a segment's texts are gone, one in so many, it is written anew.
  public var goneShare = 8
  /// Bytes of the whole. Beyond them the oldest texts are let go.
  public var bytesMaximum: Int

  public init(bytesMaximum: Int) { self.bytesMaximum = bytesMaximum }
}
