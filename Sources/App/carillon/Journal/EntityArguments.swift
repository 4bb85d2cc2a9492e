public import ArgumentParser
public import Engine
import EventSourcing

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
    guard let id = EntityID(argument: argument) else { return nil }
    self.id = id
  }
}

extension JournalBound: ExpressibleByArgument {}

/// `--reveal`.
struct RevealArguments: ParsableArguments {
  @Flag(
    help: "Show the keys of users, sessions and devices, which open what is theirs, instead of a part of their hash.")
  var reveal = false

  /// Nil if all is to be shown.
  var mask: KeyMask? { reveal ? nil : KeyMask(.carillon) }
}
