/// What files are, as their senders say and their first bytes show.
package enum FileType {
  /// For what nobody knows.
  package static let unknown = "application/octet-stream"

  /// What browsers may show in place of saving it: pictures that hold no script.
  package static func isPicture(_ type: String) -> Bool { pictures.contains(type) }

  private static let pictures: Set<String> = ["image/png", "image/jpeg", "image/gif", "image/webp"]

  /// The type that a file is kept under. What a type says that has a mark of its own, the first bytes have to show; and
  /// bytes with the mark of one type are no file of another. An archive may be many things that are made of one.
  /// - Parameters:
  ///   - declared: `type/subtype` in small letters; nil or `unknown` leaves it to the bytes.
  /// - Throws: `.mismatch`.
  package static func judged(_ declared: String?, _ bytes: [UInt8]) throws(FileFailure) -> String {
    let found = marks.first { $0.fits(bytes) }
    guard let declared = declared.map({ aliases[$0] ?? $0 }), declared != unknown else { return found?.type ?? unknown }
    if let found {
      let isMadeOfIt = found.isArchive && !declared.hasPrefix("text/") && !hasMark(declared)
      guard found.type == declared || isMadeOfIt else { throw .mismatch(declared: declared, found: found.type) }
    } else if hasMark(declared) {
      throw .mismatch(declared: declared, found: nil)
    }
    return declared
  }

  private static func hasMark(_ type: String) -> Bool { marks.contains { $0.type == type } }

  /// Other names for what has a mark.
  private static let aliases = [
    "image/jpg": "image/jpeg", "image/pjpeg": "image/jpeg", "image/x-png": "image/png",
    "application/x-pdf": "application/pdf", "application/x-gzip": "application/gzip",
    "application/x-zip-compressed": "application/zip",
  ]

  /// The bytes that files of a type begin with.
  private struct Mark {
    let type: String
    /// Nil: any byte.
    let bytes: [UInt8?]
    /// Other types are made of it.
    var isArchive = false

    func fits(_ content: [UInt8]) -> Bool {
      content.count >= bytes.count && zip(bytes, content).allSatisfy { $0 == nil || $0 == $1 }
    }
  }

  private static let marks = [
    Mark(type: "image/png", bytes: [0x89] + text("PNG\r\n\u{1A}\n")),
    Mark(type: "image/jpeg", bytes: [0xFF, 0xD8, 0xFF]),
    Mark(type: "image/gif", bytes: text("GIF87a")), Mark(type: "image/gif", bytes: text("GIF89a")),
    Mark(type: "image/webp", bytes: text("RIFF") + [nil, nil, nil, nil] + text("WEBP")),
    Mark(type: "application/pdf", bytes: text("%PDF-")),
    Mark(type: "application/zip", bytes: text("PK\u{3}\u{4}"), isArchive: true),
    Mark(type: "application/gzip", bytes: [0x1F, 0x8B], isArchive: true),
    Mark(type: "application/x-elf", bytes: [0x7F] + text("ELF")),
  ]

  private static func text(_ text: String) -> [UInt8?] { text.utf8.map { $0 } }
}
