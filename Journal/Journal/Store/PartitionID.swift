/// One of the journals of a store.
public struct PartitionID: RawRepresentable, Sendable, Hashable {
  /// Counted from 0, without gaps.
  public let rawValue: UInt16

  public init(rawValue: UInt16) { self.rawValue = rawValue }

  /// The only one, where there is one.
  public static let first = PartitionID(rawValue: 0)
}

extension PartitionID: CustomStringConvertible {
  public var description: String { "\(rawValue)" }
}
