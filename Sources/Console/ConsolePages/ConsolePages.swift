import Crypto
import TextEncoding

/// A file of the console as it stands in `Pages`.
package struct PageFile: Sendable, Equatable {
  /// With the folders that it is in: `core/api.js`.
  package let name: String
  /// What a browser is told that it is.
  package let type: String
  package let text: String

  package init(name: String, type: String, text: String) {
    self.name = name
    self.type = type
    self.text = text
  }
}

/// The files of the console, embedded when the server was built.
///
/// One hash of all of them is a segment of the path of each: a browser may keep what it has loaded for ever, and another
/// version of the server has other paths. Only the first page has a path that stays; it names that segment.
package struct ConsolePages: Sendable {
  /// A file as it is served.
  package struct Page: Sendable, Equatable {
    package let type: String
    package let bytes: [UInt8]
  }

  /// What stands for the segment in the text of the first page.
  package static let placeholder = "__HASH__"
  /// The first page.
  package static let indexName = "index.html"
  /// Of all files together, in bytes: a first load is all of them.
  package static let bytesMaximum = 204_800

  /// Of all files, in the order of their names: 32 hexadecimal digits.
  package let hash: String
  package let index: Page
  /// By their names, without the first page.
  private let pages: [String: Page]

  /// Those that this server was built with.
  package static let embedded = ConsolePages(EmbeddedPages.files)

  /// - Precondition: the first page is among them.
  package init(_ files: [PageFile]) {
    let files = files.sorted { $0.name < $1.name }
    var digest = SHA256()
    for file in files {
      let content = Array(file.text.utf8)
      // With its length, so that no file can be taken for the end of the one before.
      digest.update(data: Array("\(file.name)\n\(content.count)\n".utf8) + content)
    }
    hash = Hexadecimal.encode(digest.finalize().prefix(16))
    var pages = Dictionary(
      uniqueKeysWithValues: files.map { ($0.name, Page(type: $0.type, bytes: Array($0.text.utf8))) })
    guard let index = pages.removeValue(forKey: Self.indexName) else {
      preconditionFailure("the console has a first page")
    }
    let text = String(decoding: index.bytes, as: UTF8.self).replacing(Self.placeholder, with: hash)
    self.index = Page(type: index.type, bytes: Array(text.utf8))
    self.pages = pages
  }

  /// A file below the segment; nil for what there is not, and below any other segment.
  /// - Parameter path: from the segment on: `0123…/core/api.js`.
  package func page(at path: some StringProtocol) -> Page? {
    guard let slash = path.firstIndex(of: "/"), path[..<slash] == hash else { return nil }
    return pages[String(path[path.index(after: slash)...])]
  }

  /// The names of all files but the first page, sorted.
  package var names: [String] { pages.keys.sorted() }

  /// Of all files together.
  package var byteCount: Int { pages.values.reduce(index.bytes.count) { $0 + $1.bytes.count } }
}
