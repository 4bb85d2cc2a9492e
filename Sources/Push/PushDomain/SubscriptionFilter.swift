/// Which events a subscription wants: the text of a tag, in which `*` stands for any run of characters, also for none.
/// Spec: GMS 10.1.
public struct SubscriptionFilter: Sendable, Hashable, Codable {
  /// Bytes of a filter.
  public static let lengthMaximum = 256

  public let text: String

  /// - Throws: what is wrong with it.
  public init(_ text: String) throws(Problem) {
    guard !text.isEmpty else { throw .empty }
    guard text.utf8.count <= Self.lengthMaximum else { throw .tooLong }
    self.text = text
  }

  /// One that the journal holds: it was judged when it came.
  init(journaled text: String) { self.text = text }

  public enum Problem: Error, Equatable, Sendable {
    case empty
    case tooLong
  }

  /// True if it stands for one tag only.
  public var isExact: Bool { !text.utf8.contains(Self.star) }

  public func matches(_ tag: String) -> Bool {
    isExact ? tag == text : Self.matches(Array(tag.utf8), Array(text.utf8))
  }

  private static let star = UInt8(ascii: "*")

  /// Each star takes as little as it can; if that leads nowhere, the last one takes one more. In the worst case as many
  /// steps as both lengths multiplied.
  private static func matches(_ tag: [UInt8], _ filter: [UInt8]) -> Bool {
    var (place, next) = (0, 0)
    var retry: (place: Int, next: Int)?
    while place < tag.count {
      if next < filter.count, filter[next] == star {
        retry = (place, next + 1)
        next += 1
      } else if next < filter.count, filter[next] == tag[place] {
        place += 1
        next += 1
      } else if let last = retry {
        retry = (last.place + 1, last.next)
        (place, next) = (last.place + 1, last.next)
      } else {
        return false
      }
    }
    return filter[next...].allSatisfy { $0 == star }
  }

  public init(from decoder: any Decoder) throws {
    text = try decoder.singleValueContainer().decode(String.self)
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(text)
  }
}
