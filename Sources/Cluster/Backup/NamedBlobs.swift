internal import EventSourcing
internal import Journal
internal import JournalFormat
internal import StorageDomain
internal import TextEncoding

extension JournalReader {
  /// The stored files that the records behind `position` name, up to and including the one at `end`, by their names.
  ///
  /// - Throws: `JournalError`.
  func blobsNamed(after position: UInt64, upTo end: UInt64) throws -> Set<String> {
    guard end > position else { return [] }
    var names: Set<String> = []
    try read(from: position + 1) { record in
      guard record.position <= end else { return false }
      if record.kind == EntityKind.stored.rawValue, !record.isRedacted {
        var payload = PayloadReader(record.payload)
        // What a later version has written names what that version copies.
        if case .stored(let pairs, _, _) = try? StorageEvent(tag: record.tag, payload: &payload) {
          for pair in pairs {
            if case .file(let file) = pair.value { names.insert(Hexadecimal.encode(file.digest)) }
          }
        }
      }
      return record.position < end
    }
    return names
  }
}
