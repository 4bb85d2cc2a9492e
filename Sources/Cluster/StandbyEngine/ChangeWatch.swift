import Journal
import StandbyWire

/// Looks from time to time at what changes in a data directory beside the end of its journal, and says what a standby
/// has to fetch. Blobs are not looked at: who stores one says so. Its calls block.
struct ChangeWatch {
  private let directory: ServedDirectory
  /// What identifies each file, by path.
  private var known: [StandbyPath: String]

  /// From what is there now on.
  init(_ directory: ServedDirectory) throws(StorageError) {
    self.directory = directory
    known = [:]
    known = try look()
  }

  /// What has happened since the last look: `file` of what is new, `changed` if anything has gone or a segment is not
  /// what it was.
  mutating func changes() throws(StorageError) -> [StandbyMessage] {
    let former = known
    known = try look()
    let newest = former.keys.compactMap(\.segment).max() ?? 0
    var messages: [StandbyMessage] = []
    var hasChanged = former.keys.contains { known[$0] == nil }
    for (place, mark) in known.sorted(by: { $0.key.text < $1.key.text }) where former[place] != mark {
      if case .segment(let number, let isPacked, let isArchived) = place {
        // The next one, which the stream brings.
        hasChanged = hasChanged || isPacked || isArchived || number <= newest
      } else if let file = try directory.openIfThere(place) {
        messages.append(.file(file.described(as: place)))
      }
    }
    return hasChanged ? messages + [.changed] : messages
  }

  private func look() throws(StorageError) -> [StandbyPath: String] {
    var found: [StandbyPath: String] = [:]
    for place in try directory.segments() {
      // Its end grows: only that it is another file tells anything.
      if let file = try directory.openIfThere(place) { found[place] = String(file.inode) }
    }
    for place in try directory.smallFiles() {
      switch place {
      case .snapshot, .edge, .checkpoint: found[place] = ""
      case .tokens, .providerToken, .redactionIntent:
        if let file = try directory.openIfThere(place) { found[place] = file.version }
      case .segment, .blob: break
      }
    }
    return found
  }
}
