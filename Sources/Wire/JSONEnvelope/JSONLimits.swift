/// What a JSON text may demand of its reader; everything beyond is refused with a ``JSONError``.
public struct JSONLimits: Sendable, Equatable {
  /// The deepest nesting that any limits may allow: parsing recurses, and the stack is finite.
  public static let depthCeiling = 64

  /// How many arrays and objects may be open at once, at most ``depthCeiling``.
  public var depthMaximum: Int
  /// Length of one number; converting a number of a million digits costs time that nobody has asked for.
  public var numberBytesMaximum: Int
  /// Length of the whole text.
  public var documentBytesMaximum: Int

  public init(
    depthMaximum: Int = JSONLimits.depthCeiling, numberBytesMaximum: Int = 512,
    documentBytesMaximum: Int = 16 * 1_048_576
  ) {
    self.depthMaximum = min(max(depthMaximum, 0), JSONLimits.depthCeiling)
    self.numberBytesMaximum = max(numberBytesMaximum, 1)
    self.documentBytesMaximum = max(documentBytesMaximum, 0)
  }
}
