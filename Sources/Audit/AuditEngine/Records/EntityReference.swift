public import EventSourcing

extension EntityKind {
  /// A kind's name, or its number if this version has no name for it.
  public init?(argument: some StringProtocol) {
    if let named = EntityKind(name: argument) {
      self = named
    } else if let number = UInt8(argument) {
      self.init(rawValue: number)
    } else {
      return nil
    }
  }

  /// As people write it: the name, or the number.
  public var label: String { name ?? String(rawValue) }
}

extension EntityID {
  /// `kind:key`, as operators name an entity: `chat:412-0b7c…`.
  public init?(argument: String) {
    guard let colon = argument.firstIndex(of: ":"), let kind = EntityKind(argument: argument[..<colon]),
      argument.index(after: colon) < argument.endIndex
    else { return nil }
    self.init(kind, String(argument[argument.index(after: colon)...]))
  }
}
