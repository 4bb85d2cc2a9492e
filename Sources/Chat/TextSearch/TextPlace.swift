/// Where a text stands, and when it was said. The later ones are greater.
public struct TextPlace: Sendable, Comparable, Hashable {
  /// Since 1970.
  public var seconds: UInt32
  /// Whose text it is, by its number.
  public var owner: UInt32
  /// Which one of that owner's texts.
  public var number: UInt32

  public init(seconds: UInt32, owner: UInt32, number: UInt32) {
    self.seconds = seconds
    self.owner = owner
    self.number = number
  }

  public static func < (one: Self, other: Self) -> Bool {
    (one.seconds, one.owner, one.number) < (other.seconds, other.owner, other.number)
  }

  /// The order within a segment: an owner's texts side by side.
  static func standsBefore(_ one: Self, _ other: Self) -> Bool {
    (one.owner, one.number) < (other.owner, other.number)
  }
}
