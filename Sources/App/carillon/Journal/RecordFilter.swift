import ArgumentParser
import Engine
import EventSourcing
import JournalFormat

/// Which records a command is about; all that are given must hold.
struct RecordFilter: ParsableArguments {
  @Option(help: "Only this entity, as kind:key, such as chat:412-0b7c6e1e-….") var entity: EntityArgument?
  @Option(help: "Only this kind: chat, comet, push, agent, or a number.") var kind: KindArgument?
  @Option(help: "From this record number or time (2026-02-11T08:30:05Z) on.") var from: JournalBound?
  @Option(help: "Up to and including this record number or time.") var to: JournalBound?

  func accepts(_ record: borrowing RecordView) -> Bool {
    let time = Timestamp(milliseconds: record.timeMilliseconds)
    if let kind, record.kind != kind.kind.rawValue { return false }
    if let from, from.isAfter(position: record.position, time: time) { return false }
    if let to, to.isBefore(position: record.position, time: time) { return false }
    guard let entity else { return true }
    return record.kind == entity.id.kind.rawValue && record.key.elementsEqual(entity.id.key.utf8)
  }
}
