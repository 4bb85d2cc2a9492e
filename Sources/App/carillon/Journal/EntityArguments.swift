import ArgumentParser
import EventSourcing

extension EntityKind {
  /// A kind's name, or its number if this version has no name for it.
  init?(argument: some StringProtocol) {
    if let named = EntityKind(name: argument) {
      self = named
    } else if let number = UInt8(argument) {
      self.init(rawValue: number)
    } else {
      return nil
    }
  }

  var label: String { name ?? String(rawValue) }
}

/// `--kind`.
struct KindArgument: ExpressibleByArgument {
  let kind: EntityKind

  init?(argument: String) {
    guard let kind = EntityKind(argument: argument) else { return nil }
    self.kind = kind
  }
}

/// `--entity`: `chat:412-0b7c…`.
struct EntityArgument: ExpressibleByArgument {
  let id: EntityID

  init?(argument: String) {
    guard let colon = argument.firstIndex(of: ":"), let kind = EntityKind(argument: argument[..<colon]),
      argument.index(after: colon) < argument.endIndex
    else { return nil }
    id = EntityID(kind, String(argument[argument.index(after: colon)...]))
  }
}
