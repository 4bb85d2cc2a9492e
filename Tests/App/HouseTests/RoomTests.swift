import Foundation
import Testing

/// A module as the package or the page has it.
private struct Room: Equatable {
  let place: String
  let standsOn: Set<String>
}

@Suite("The page of the architecture")
struct RoomTests {
  private static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent()

  @Test("has the modules that Package.swift has, where it has them, on what they stand")
  func table() throws {
    let (package, page) = (try Self.package(), try Self.page())
    #expect(Set(page.map(\.name)) == Set(package.keys))
    for (name, room) in page { #expect(package[name] == room, "\(name)") }
  }

  @Test("goes from below to above: no module stands on one of a later room, and no domain on another's")
  func order() throws {
    let page = try Self.page()
    var places: [String] = []
    for (_, room) in page where !places.contains(room.place) { places.append(room.place) }
    let placeOf = Dictionary(uniqueKeysWithValues: page.map { ($0.name, $0.room.place) })
    for (name, room) in page {
      for below in room.standsOn {
        let other = try #require(placeOf[below], "\(name) stands on \(below)")
        let (lower, upper) = (
          try #require(places.firstIndex(of: other)), try #require(places.firstIndex(of: room.place))
        )
        #expect(lower <= upper, "\(name) of \(room.place) stands on \(below) of \(other)")
        #expect(!(name.hasSuffix("Domain") && below.hasSuffix("Domain")), "\(name) stands on \(below)")
      }
    }
  }

  private static func text(_ path: String) throws -> String {
    try String(contentsOf: root.appending(path: path), encoding: .utf8)
  }

  private static func package() throws -> [String: Room] {
    let text = try text("Package.swift")
    let start = try #require(text.range(of: "  targets: [")).upperBound
    let end = try #require(text.range(of: "    // Tests: a folder for each module")).lowerBound
    var rooms: [String: Room] = [:]
    // A target ends with a bracket that stands where it began.
    for target in text[start..<end].matches(of: /(?s)\n    (?:module|\.\w+)\(.*?\),(?=\n)/) {
      let words = target.output
      let name = try #require(words.firstMatch(of: /"([\w-]+)"/)).output.1
      let path = try #require(words.firstMatch(of: /(?:in|path): "([^"]*)"/)).output.1.split(separator: "/")
      let place = path.first == "Sources" ? path.prefix(2).joined(separator: "/") : path.first.map(String.init) ?? ""
      let list = words.contains("systemLibrary") ? nil : words.firstMatch(of: /(?s)\[(.*?)\]/)?.output.1
      let below = (list ?? "").matches(of: /"(\w+)"/).map { String($0.output.1) }
      rooms[String(name)] = Room(place: place, standsOn: Set(below))
    }
    return rooms
  }

  private static func page() throws -> [(name: String, room: Room)] {
    let text = try text("Sources/ARCHITECTURE.md")
    let start = try #require(text.range(of: "| Room | Module |")).lowerBound
    var place = ""
    var found: [(String, Room)] = []
    for line in text[start...].split(separator: "\n", omittingEmptySubsequences: false).dropFirst(2) {
      guard line.hasPrefix("|") else { break }
      let cells = line.split(separator: "|").map { $0.trimmingCharacters(in: CharacterSet(charactersIn: " `")) }
      guard cells.count == 4 else { continue }
      if !cells[0].isEmpty { place = cells[0] }
      let below = cells[3].matches(of: /[\w-]+/).map { String($0.output) }.filter { $0 != "–" }
      found.append((cells[1], Room(place: place, standsOn: Set(below))))
    }
    return found
  }
}
