/// Some of a list, and where it goes on.
public struct ListPage<Element: Sendable>: Sendable {
  public let elements: [Element]
  /// What to ask for as `after` to go on; nil if there is nothing more.
  public let next: String?
  /// How many there are on all pages; nil where nobody has counted.
  public let total: Int?

  package init(elements: [Element], next: String?, total: Int? = nil) {
    self.elements = elements
    self.next = next
    self.total = total
  }

  /// Why a place to go on from is refused.
  package static var noCursor: String { "is not where a list ended" }
}

extension ListPage: Equatable where Element: Equatable {}
