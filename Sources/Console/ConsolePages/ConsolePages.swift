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
  /// Of all files of the console together, in bytes, with one language: a browser loads no other, and no more than these
  /// on all screens.
  package static let bytesMaximum = 204_800
  /// Where the languages' files are.
  package static let languageFolder = "i18n/"
  /// Where the files of the customer's phone are, which is there to try with and no part of the console.
  package static let demoFolder = "demo/"
  /// Of the files in it together, in bytes.
  package static let demoBytesMaximum = 12_288

  /// Of all files, in the order of their names: 32 hexadecimal digits.
  package let hash: String
  package let index: Page
  /// The page of the customer's phone; nil if these pages have none.
  package let demoIndex: Page?
  /// By their names, without the first page.
  private let pages: [String: Page]
  /// Those of the customer's phone, by their names, without its page.
  private let demoPages: [String: Page]

  /// Those that this server was built with.
  package static let embedded = ConsolePages(
    EmbeddedPages.files.map { PageFile(name: $0.name, type: $0.type, text: $0.text) })

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
    self.index = index.replacing([Self.placeholder: hash])
    demoIndex = pages.removeValue(forKey: Self.demoFolder + Self.indexName)?.replacing(
      [Self.placeholder: hash, "__SERVICE__": DemoPhone.service, "__SENDER__": DemoPhone.sender])
    demoPages = pages.filter { $0.key.hasPrefix(Self.demoFolder) }
    self.pages = pages.filter { !$0.key.hasPrefix(Self.demoFolder) }
  }

  /// A file below the segment; nil for what there is not, and below any other segment.
  /// - Parameters:
  ///   - path: from the segment on: `0123…/core/api.js`.
  ///   - withDemo: whether the files of the customer's phone are there.
  package func page(at path: some StringProtocol, withDemo: Bool = false) -> Page? {
    guard let slash = path.firstIndex(of: "/"), path[..<slash] == hash else { return nil }
    let name = String(path[path.index(after: slash)...])
    return pages[name] ?? (withDemo ? demoPages[name] : nil)
  }

  /// The names of all files of the console but the first page, sorted.
  package var names: [String] { pages.keys.sorted() }
  /// The names of all files of the customer's phone but its page, sorted.
  package var demoNames: [String] { demoPages.keys.sorted() }

  /// Of all files of the console together, with the longest of the languages.
  package var byteCount: Int {
    let isLanguage = { (name: String) in name.hasPrefix(Self.languageFolder) }
    let longest = pages.filter { isLanguage($0.key) }.map(\.value.bytes.count).max() ?? 0
    return pages.filter { !isLanguage($0.key) }.reduce(index.bytes.count + longest) { $0 + $1.value.bytes.count }
  }
  /// Of all files of the customer's phone together.
  package var demoByteCount: Int { demoPages.values.reduce(demoIndex?.bytes.count ?? 0) { $0 + $1.bytes.count } }
}

extension ConsolePages.Page {
  /// With words of its text replaced.
  fileprivate func replacing(_ words: [String: String]) -> ConsolePages.Page {
    let text = words.reduce(String(decoding: bytes, as: UTF8.self)) { $0.replacing($1.key, with: $1.value) }
    return ConsolePages.Page(type: type, bytes: Array(text.utf8))
  }
}

/// What the customer's phone of `carillon demo --serve` and its server have to agree on.
package enum DemoPhone {
  /// Its path below that of the console's pages.
  package static let path = "demo-app"
  /// The service whose chats it starts.
  package static let service = "orders"
  /// Whose pushes it registers for: the server's own, which reach it by the device's socket.
  package static let sender = "811202516"
}
