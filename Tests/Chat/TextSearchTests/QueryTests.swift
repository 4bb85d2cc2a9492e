import Testing

@testable import TextSearch

@Suite("What is looked for")
struct QueryTests {
  @Test(
    "all words have to be there, the last one as a beginning",
    arguments: [
      ("order", "My ORDERS!", true), ("order 47", "order 4711", true), ("ord 4711", "order 4711", false),
      ("4711 ord", "order 4711", true), ("ordér.", "order", true), ("order missing", "order", false),
      ("the the", "the", true), ("order orders", "orders", false), ("orders ord", "orders", true),
      ("ord ord", "order", false),
      ("grusse", "Grüße", true), ("東京", "新東京都", true), ("京", "東京", true), ("京 x", "東京 xy", true),
      ("東都", "東京都", false), ("東京 order", "orders in 東京", true), ("都東", "東京都", false),
    ])
  func matching(query: String, text: String, isFound: Bool) throws {
    #expect(try TextQuery(query).matches(text) == isFound)
  }

  @Test("what has no word, too many words or too many bytes is refused")
  func flaws() throws {
    for text in ["", " ", "!?", "🙂", "\u{0}"] { #expect(throws: TextQuery.Flaw.noWord) { try TextQuery(text) } }
    let many = (0..<17).map { "w\($0)" }.joined(separator: " ")
    #expect(throws: TextQuery.Flaw.tooManyWords) { try TextQuery(many) }
    #expect(throws: TextQuery.Flaw.tooLong) { try TextQuery(String(repeating: "x", count: 257)) }
    #expect(try TextQuery(String(repeating: "x", count: 256)).words.count == 1)
  }

  @Test("a clip shows the word that was looked for; what is left out is marked, and no character is cut")
  func clips() throws {
    let text =
      String(repeating: "so and so ", count: 40) + "the 👩‍👩‍👧 parcel is lost"
      + String(repeating: " in the depot", count: 40)
    for (query, shown) in [("parcel", "parcel"), ("lost parcel", "parcel"), ("so depot", "depot")] {
      let clip = try TextQuery(query).clip(of: text, bytesMaximum: 60)
      #expect(clip.contains(shown) && clip.hasPrefix("…") && clip.utf8.count <= 66, "\(clip)")
      #expect(text.contains(clip.dropFirst().dropLast()))
    }
    #expect(try TextQuery("short").clip(of: "A short one", bytesMaximum: 60) == "A short one")
    let end = String(repeating: "x ", count: 50) + "end"
    #expect(try TextQuery("end").clip(of: end, bytesMaximum: 20).hasSuffix("end"))
    #expect(try TextQuery("nothing").clip(of: end, bytesMaximum: 20).hasPrefix("x x"))
    let family = String(repeating: "👩‍👩‍👧", count: 40)
    #expect(try TextQuery("x").clip(of: family, bytesMaximum: 60).dropLast().allSatisfy { $0 == "👩‍👩‍👧" })
  }
}
