import Testing

@testable import TextSearch

@Suite("Words of a text")
struct WordTests {
  private static func words(_ text: String) -> [String] {
    var words: [String] = []
    WordReader.read(text) { word, _, _ in words.append(String(decoding: word, as: UTF8.self)) }
    return words
  }

  @Test(
    "case, marks and width do not matter, in any script",
    arguments: [
      ("Order 4711, please!", ["order", "4711", "please"]), ("", []), (" .,;-—…!? 🙂 ", []),
      ("Grüße aus Köln", ["grusse", "aus", "koln"]), ("GRÜẞE", ["grusse"]), ("gru\u{308}ße", ["grusse"]),
      ("Łódź, Ærø; œuvre", ["lodz", "aero", "oeuvre"]), ("Việt Nam", ["viet", "nam"]),
      ("İstanbul ılık", ["istanbul", "ilik"]),
      ("Καλημέρα ΚΌΣΜΟΣ κόσμος", ["καλημερα", "κοσμοσ", "κοσμοσ"]), ("Ещё ёж й", ["еще", "еж", "й"]),
      ("ＡＢＣ１２３", ["abc123"]), ("١٢٣", ["123"]), ("مُحَمَّد", ["محمد"]), ("שָׁלוֹם", ["שלום"]), ("हिन्दी", ["हिन्दी"]),
      ("a\u{200B}b co\u{AD}op", ["ab", "coop"]), ("x²", ["x²"]),
      ("don't e-mail a@b.de", ["don", "t", "e", "mail", "a", "b", "de"]),
      ("ǅ ﬀ", ["dz", "ﬀ"]), ("٤٫٥", ["4", "5"]),
    ])
  func folding(text: String, words: [String]) {
    #expect(Self.words(text) == words)
  }

  @Test(
    "scripts that leave no room between words are read by two, and the last character by itself",
    arguments: [
      ("東京都", ["東京", "京都", "都"]), ("東", ["東"]), ("東京 大阪", ["東京", "京", "大阪", "阪"]),
      ("iPhoneを買う", ["iphone", "を買", "買う", "う"]), ("買うiPhone", ["買う", "う", "iphone"]),
      ("ガイド ｶﾞｲﾄﾞ がいど", ["かい", "いと", "と", "かい", "いと", "と", "かい", "いと", "と"]),
      ("안녕하세요", ["안녕", "녕하", "하세", "세요", "요"]), ("コーヒー", ["こー", "ーひ", "ひー", "ー"]),
    ])
  func ideographs(text: String, words: [String]) {
    #expect(Self.words(text) == words)
  }

  @Test("a word's place is where it stands in the text, with its marks")
  func places() {
    let text = "Ü, e\u{301}té 東京!"
    var found: [String] = []
    WordReader.read(text) { _, place, _ in found.append(String(decoding: Array(text.utf8)[place], as: UTF8.self)) }
    #expect(found == ["Ü", "e\u{301}té", "東京", "京"])
  }

  @Test("of a long word the beginning counts, and of a long text its first words; neither is cut within a character")
  func bounds() throws {
    let long = String(repeating: "x", count: 47) + "ж" + String(repeating: "y", count: 1_000)
    let words = Self.words(long)
    #expect(words.count == 1 && words[0].utf8.count == 48 && !words[0].unicodeScalars.contains("\u{FFFD}"))
    #expect(try TextQuery(String(repeating: "x", count: 47)).matches(long))
    let text = TextWords(of: String(repeating: "abc ", count: 100_000))
    #expect(text.bytes.count <= TextSearchLimits.textBytesMaximum)
    #expect(text.bytes.count > TextSearchLimits.textBytesMaximum - 8)
    #expect(TextWords(of: "…!").isEmpty && !TextWords(of: "…a!").isEmpty)
  }
}
