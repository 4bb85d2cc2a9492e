/// The members of a JSON object, in the order they came; of members with one name, the last one's value counts. Names are
/// compared byte for byte.
///
/// Two objects are equal if they have the same members, whatever the order.
public struct JSONObject: Sendable {
  public struct Member: Sendable, Equatable {
    public let name: String
    public fileprivate(set) var value: JSONValue

    public static func == (left: Member, right: Member) -> Bool {
      left.name.isExactly(right.name) && left.value == right.value
    }
  }

  public private(set) var members: [Member] = []
  /// Where each name stands; made only for objects so large that looking through them all would be slow. A hostile text
  /// could otherwise make reading it quadratic.
  private var places: [ExactText: Int]?

  /// From this many members on, names are looked up in a table.
  private static let tableThreshold = 16

  public init() {}

  public var count: Int { members.count }
  public var isEmpty: Bool { members.isEmpty }
  public var names: [String] { members.map(\.name) }

  /// The value of a name, nil if there is none; setting nil removes the member.
  public subscript(name: String) -> JSONValue? {
    get { place(of: name).map { members[$0].value } }
    set {
      switch (place(of: name), newValue) {
      case (let place?, let value?): members[place].value = value
      case (nil, let value?): append(name, value)
      case (let place?, nil):
        members.remove(at: place)
        places = nil
        if members.count >= Self.tableThreshold { makeTable() }
      case (nil, nil): break
      }
    }
  }

  private func place(of name: String) -> Int? {
    if let places { return places[ExactText(name)] }
    return members.firstIndex { $0.name.isExactly(name) }
  }

  private mutating func append(_ name: String, _ value: JSONValue) {
    members.append(Member(name: name, value: value))
    if places != nil {
      places?[ExactText(name)] = members.count - 1
    } else if members.count >= Self.tableThreshold {
      makeTable()
    }
  }

  private mutating func makeTable() {
    var table: [ExactText: Int] = [:]
    for (place, member) in members.enumerated() { table[ExactText(member.name)] = place }
    places = table
  }
}

extension JSONObject: Equatable {
  public static func == (first: JSONObject, second: JSONObject) -> Bool {
    first.count == second.count && first.members.allSatisfy { second[$0.name] == $0.value }
  }
}

extension JSONObject: ExpressibleByDictionaryLiteral {
  public init(dictionaryLiteral members: (String, JSONValue)...) {
    for (name, value) in members { self[name] = value }
  }
}
