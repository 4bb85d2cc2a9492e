import EngineKit
import EventSourcing
import StorageDomain

/// Tells of stored data: names of keys and sizes of files, but nothing that is in them.
struct StorageNarrator: Narrator {
  mutating func tell(
    _ tag: EventTag, _ payload: UnsafeRawBufferPointer, _ blank: TimelineEntry, _ people: inout TimelinePeople
  ) -> [TimelineEntry]? {
    guard let event: StorageEvent = Self.decode(tag, payload) else { return nil }
    var entry = blank
    entry.who = "app"
    switch event {
    case .stored(let pairs, let name, let until):
      entry.what =
        pairs.isEmpty ? "renews what it has stored" : "stores \(pairs.map(Self.text).joined(separator: ", "))"
      switch name {
      case .instance(let id): entry.remark = ", of \(id.prefix(12))…"
      case .file(_, let chat):
        // The chat tells who sent it.
        (entry.who, entry.isDetail) = ("server", true)
        entry.remark = ", of the chat \(chat.prefix(12))…"
      case .custom, nil: break
      }
      entry.remark += ", until \(until.iso8601)"
    case .removed(let name): entry.what = "deletes \(name)"
    case .renewed:
      entry.who = "server"
      entry.what = "keeps it as long as its service instance"
      entry.isDetail = true
    case .ended(let reason): entry.what = "has nothing stored any more (\(reason))"
    case .erased: entry.what = "what it had stored was erased"
    }
    return [entry]
  }

  private static func text(_ pair: StoredPair) -> String {
    switch pair.value {
    case .text: pair.name
    case .file(let file): "\(pair.name) (\(file.byteCount) bytes)"
    case .hidden: "\(pair.name) (deleted)"
    }
  }
}
