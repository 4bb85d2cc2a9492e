import Foundation
import Testing

@testable import ConsolePages

@Suite("The console's files")
struct ConsolePagesTests {
  private let pages = ConsolePages.embedded

  @Test("are small enough for a first load")
  func size() {
    #expect(pages.byteCount <= ConsolePages.bytesMaximum)
    #expect(pages.byteCount > 0)
  }

  @Test(
    "say what the files in Pages say: nothing is missing but comments and blanks, and no text in quotation marks is touched"
  )
  func sources() throws {
    let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent().appending(path: "Sources/Console/Pages")
    for name in pages.names where name.hasSuffix(".js") || name.hasSuffix(".css") {
      let source = try String(contentsOf: folder.appending(path: name), encoding: .utf8)
      let served = String(decoding: try #require(pages.page(at: "\(pages.hash)/\(name)")).bytes, as: UTF8.self)
      let said = source.replacing(/(?m)^ *(?:\/\/.*|\/\*(?s:.*?)\*\/) *$/, with: "")
      #expect(served.filter { !$0.isWhitespace } == said.filter { !$0.isWhitespace }, "\(name)")
      // One text on a line: here it is plain where it begins and ends.
      for text in said.matches(of: /(?m)^ +[^ ]+: (['"].*['"]),$/) where name.hasPrefix("i18n/") {
        #expect(served.contains(text.output.1), "\(name): \(text.output.1)")
      }
    }
  }

  @Test("the customer's phone is counted apart, and is small")
  func demoSize() {
    #expect(pages.demoByteCount <= ConsolePages.demoBytesMaximum)
    #expect(pages.demoByteCount > 0)
    #expect(!pages.names.contains { $0.hasPrefix(ConsolePages.demoFolder) })
  }

  @Test("the customer's phone is there only for whoever says so, and whatever its page asks for is there with it")
  func demo() throws {
    let text = String(decoding: try #require(pages.demoIndex).bytes, as: UTF8.self)
    #expect(!text.contains(ConsolePages.placeholder) && !text.contains("__"))
    #expect(
      text.contains(#"data-service="\#(DemoPhone.service)""#) && text.contains(#"data-sender="\#(DemoPhone.sender)""#))
    let asked = text.matches(of: /(?:src|href)="\.\/([^"]+)"/).map { String($0.output.1) }
    #expect(asked.contains("\(pages.hash)/demo/phone.js"))
    for path in asked { #expect(pages.page(at: path, withDemo: true) != nil, "\(path)") }
    #expect(!pages.demoNames.isEmpty)
    for name in pages.demoNames { #expect(pages.page(at: "\(pages.hash)/\(name)") == nil, "\(name)") }
    for name in pages.names { #expect(pages.page(at: "\(pages.hash)/\(name)", withDemo: true) != nil, "\(name)") }
    #expect(pages.page(at: "\(pages.hash)/demo/index.html", withDemo: true) == nil)
  }

  @Test("whatever a module of the customer's phone takes in is there")
  func demoImports() throws {
    for name in pages.demoNames where name.hasSuffix(".js") {
      let text = String(
        decoding: try #require(pages.page(at: "\(pages.hash)/\(name)", withDemo: true)).bytes, as: UTF8.self)
      for (match, folder) in [(/from '\.\/([^']+)'/, "demo/"), (/from '\.\.\/([^']+)'/, "")] {
        for path in text.matches(of: match).map({ folder + $0.output.1 }) {
          #expect(pages.page(at: "\(pages.hash)/\(path)", withDemo: true) != nil, "\(name) takes in \(path)")
        }
      }
    }
  }

  @Test("are found below the hash of all of them, and below no other segment")
  func segment() throws {
    #expect(pages.hash.count == 32)
    for name in pages.names { #expect(pages.page(at: "\(pages.hash)/\(name)") != nil) }
    for path in [
      "", "/", pages.hash, "\(pages.hash)/", "\(pages.hash)/nothing.js", "x/app.js", "0\(pages.hash)/app.js",
    ] {
      #expect(pages.page(at: path) == nil, "\(path)")
    }
    // Below the hash its relative URLs would point to nothing.
    #expect(pages.page(at: "\(pages.hash)/index.html") == nil)
  }

  @Test("the first page names the segment, and every file that it asks for is there")
  func index() throws {
    let text = String(decoding: pages.index.bytes, as: UTF8.self)
    #expect(!text.contains(ConsolePages.placeholder))
    let asked = text.matches(of: /(?:src|href)="\.\/([^"]+)"/).map { String($0.output.1) }
    #expect(asked.contains("\(pages.hash)/app.js"))
    for path in asked { #expect(pages.page(at: path) != nil, "\(path)") }
  }

  @Test("have nothing inline and ask nobody else")
  func policy() throws {
    for index in [pages.index, try #require(pages.demoIndex)] {
      let text = String(decoding: index.bytes, as: UTF8.self)
      #expect(!text.contains(/<script(?![^>]*\ssrc=)/), "a script without a file")
      #expect(!text.contains(/<style|\sstyle=|\son[a-z]+=/), "a style or a handler in the page")
      #expect(!text.contains(/(?:src|href|action)="(?:[a-z]+:)?\/\//), "another host")
    }
  }

  @Test("another text, another name or another order of bytes is another hash")
  func hashes() {
    func hash(_ files: [(String, String)]) -> String {
      ConsolePages(
        files.map { PageFile(name: $0.0, type: "text/plain", text: $0.1) } + [
          PageFile(name: "index.html", type: "text/html", text: "<p>")
        ]
      ).hash
    }
    let hashes = [
      hash([("a.js", "1"), ("b.js", "2")]), hash([("a.js", "2"), ("b.js", "1")]), hash([("a.js", "12"), ("b.js", "")]),
      hash([("a.js", "1"), ("c.js", "2")]),
    ]
    #expect(Set(hashes).count == hashes.count)
    #expect(hash([("b.js", "2"), ("a.js", "1")]) == hashes[0])
  }

  @Test("come as what they are", arguments: [("app.js", "text/javascript"), ("style.css", "text/css")])
  func types(name: String, type: String) throws {
    #expect(try #require(pages.page(at: "\(pages.hash)/\(name)")).type.hasPrefix(type))
    #expect(pages.index.type.hasPrefix("text/html"))
  }
}
