import Foundation
import Journal
import JournalFormat
import SystemPackage

/// Looks for words in everything that a data directory holds.
enum SubjectBytes {
  /// The files below `directory` and the records of its journal that hold these bytes.
  static func places(of text: String, in directory: FilePath) throws -> [String] {
    var places: [String] = []
    let files = FileManager.default.enumerator(atPath: directory.string)
    while let name = files?.nextObject() as? String {
      guard let content = FileManager.default.contents(atPath: directory.appending(name).string) else { continue }
      if content.firstRange(of: Data(text.utf8)) != nil { places.append(name) }
    }
    try JournalReader(directory: directory.appending("journal")).forEachRecord { record in
      let payload = String(decoding: record.payload, as: UTF8.self)
      if payload.contains(text) || record.keyText.contains(text) { places.append("record \(record.position)") }
    }
    return places
  }
}
