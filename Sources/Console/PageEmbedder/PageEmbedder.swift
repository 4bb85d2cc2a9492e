import Foundation

/// Writes the files of a folder into one Swift file, each as one raw text: `PageEmbedder FOLDER OUTPUT [NAME…]`; without
/// names all of them, those in its folders too.
///
/// As texts, because an array of a hundred thousand numbers costs the compiler twelve seconds.
@main
struct PageEmbedder {
  /// Why a file cannot be a page.
  struct Flaw: Error, CustomStringConvertible {
    let description: String
  }

  /// What a browser is told that a file is. A file of any other kind ends the build.
  static let types = [
    "html": "text/html; charset=utf-8", "css": "text/css; charset=utf-8", "js": "text/javascript; charset=utf-8",
    "json": "application/json", "svg": "image/svg+xml", "webmanifest": "application/manifest+json",
    "txt": "text/plain; charset=utf-8", "ts": "application/typescript; charset=utf-8",
  ]

  static func main() {
    let arguments = CommandLine.arguments
    guard arguments.count >= 3 else { return end("usage: PageEmbedder FOLDER OUTPUT [NAME…]") }
    do {
      let folder = URL(filePath: arguments[1], directoryHint: .isDirectory)
      let names = arguments.dropFirst(3)
      let all = try names.isEmpty ? FileManager.default.subpathsOfDirectory(atPath: folder.path) : Array(names)
      let swift = try source(of: all, in: folder)
      try Data(swift.utf8).write(to: URL(filePath: arguments[2]), options: .atomic)
    } catch {
      end("error: \(error)")
    }
  }

  private static func end(_ reason: String) {
    FileHandle.standardError.write(Data("\(reason)\n".utf8))
    exit(1)
  }

  private static func source(of names: [String], in folder: URL) throws -> String {
    var swift = """
      // Written by PageEmbedder: change the files that it was made of.

      enum EmbeddedPages {
        static let files: [(name: String, type: String, text: String)] = [

      """
    for name in names.sorted() {
      let file = folder.appending(path: name)
      guard try file.resourceValues(forKeys: [.isDirectoryKey]).isDirectory != true else { continue }
      guard let type = types[file.pathExtension] else {
        throw Flaw(description: "\(file.path): there is no content type for files of this kind")
      }
      swift +=
        "    (\n      name: \(try literal(name, of: name)),\n      type: \(try literal(type, of: name)),\n"
      let text = try text(of: file)
      let served = Narrowing.byKind[file.pathExtension]?.narrow(text) ?? text
      swift += "      text: \(try literal(served, of: name))),\n"
    }
    return swift + "  ]\n}\n"
  }

  private static func text(of file: URL) throws -> String {
    guard let text = String(validating: try Data(contentsOf: file), as: UTF8.self) else {
      throw Flaw(description: "\(file.path): is not UTF-8")
    }
    return text
  }

  /// A raw text that stands for itself, whatever is in it.
  private static func literal(_ text: String, of name: String) throws -> String {
    // Swift would make a line feed of the one, and takes no other control characters.
    guard text.unicodeScalars.allSatisfy({ $0.value >= 0x20 || $0 == "\n" || $0 == "\t" }) else {
      throw Flaw(description: "\(name): has a carriage return or another control character")
    }
    let marks = String(repeating: "#", count: marksNeeded(by: text))
    return "\(marks)\"\"\"\n\(text)\n\"\"\"\(marks)"
  }

  /// One more than ever follow a quotation mark or a backslash in the text.
  private static func marksNeeded(by text: String) -> Int {
    var (most, run) = (0, 0)
    var isCounting = false
    for scalar in text.unicodeScalars {
      if scalar == "\"" || scalar == "\\" {
        (isCounting, run) = (true, 0)
      } else if isCounting, scalar == "#" {
        run += 1
        most = max(most, run)
      } else {
        isCounting = false
      }
    }
    return most + 1
  }
}
