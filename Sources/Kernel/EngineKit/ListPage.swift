/// Some of a list, and where it goes on.
public struct ListPage<Element: Sendable>: Sendable {
  public let elements: [Element]
  /// What to ask for as `after` to go on; nil if there is nothing more.
  public let next: String?

  package init(elements: [Element], next: String?) {
    self.elements = elements
    self.next = next
  }

  /// Why a place to go on from is refused.
  package static var noCursor: String { "is not where a list ended" }
}

extension ListPage: Equatable where Element: Equatable {}
