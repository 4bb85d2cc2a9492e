import JSONEnvelope
import Testing

@Suite("A JSON scanner")
struct JSONScannerTests {
  func scan<T>(_ text: String, _ body: (inout JSONScanner) throws -> T) throws -> T {
    try Array(text.utf8).withUnsafeBytes { buffer in
      var scanner = try JSONScanner(buffer)
      return try body(&scanner)
    }
  }

  @Test("reads known members, takes others over as text")
  func envelope() throws {
    try scan(#" {"n":-7, "raw" : {"a":[1, "}"]} ,"t":true,"x":null,"s":"a\tb"} "#) { scanner in
      var seen: [String] = []
      try scanner.beginObject()
      while let key = try scanner.nextKey() {
        switch key {
        case "n": seen.append("n=\(try scanner.integerIfAny() ?? 0)")
        case "raw": seen.append("raw=" + String(decoding: try scanner.rawValue(), as: UTF8.self))
        case "t": seen.append("t=\(try scanner.bool())")
        case "s": seen.append("s=" + (try scanner.string()))
        default:
          seen.append("?" + key.text)
          try scanner.skipValue()
        }
      }
      try scanner.end()
      #expect(seen == ["n=-7", #"raw={"a":[1, "}"]}"#, "t=true", "?x", "s=a\tb"])
    }
  }

  @Test("knows a key that is written with escapes")
  func escapedKey() throws {
    try scan(#"{"ch\u0061nnel":1,"channel\u0000":2}"#) { scanner in
      try scanner.beginObject()
      let first = try #require(try scanner.nextKey())
      var isChannel = if case "channel" = first { true } else { false }
      #expect(isChannel)
      try scanner.skipValue()
      let second = try #require(try scanner.nextKey())
      isChannel = if case "channel" = second { true } else { false }
      #expect(!isChannel)
    }
  }

  @Test("skips a value of another kind where one is optional", arguments: ["[1,{}]", "null", "1.5", #""x""#, "true"])
  func optional(text: String) throws {
    try scan("[\(text),5]") { scanner in
      try scanner.beginArray()
      _ = try scanner.nextElement()
      #expect(try scanner.stringIfAny() == (text == #""x""# ? "x" : nil))
      _ = try scanner.nextElement()
      #expect(try scanner.integerIfAny() == 5)
      #expect(try !scanner.nextElement())
      try scanner.end()
    }
    try scan("[\(text),5]") { scanner in
      try scanner.beginArray()
      _ = try scanner.nextElement()
      #expect(try scanner.boolIfAny() == (text == "true" ? true : nil))
      _ = try scanner.nextElement()
      #expect(try scanner.boolIfAny() == nil)
    }
  }

  @Test(
    "takes a whole number in whatever spelling",
    arguments: [("3", 3), ("3.0", 3), ("30e-1", 3), ("3.5", nil), ("1e300", nil)])
  func whole(text: String, value: Int?) throws {
    #expect(try scan(text) { try $0.integerIfAny() } == value)
  }

  @Test("says when a value is of another kind than demanded")
  func wrongKind() {
    #expect(throws: JSONError(.wrongKind, at: 1)) { try scan(" 1") { _ = try $0.string() } }
    #expect(throws: JSONError(.wrongKind, at: 0)) { try scan("[]") { try $0.beginObject() } }
    #expect(throws: JSONError(.wrongKind, at: 0)) { try scan("{}") { _ = try $0.number() } }
    #expect(throws: JSONError(.wrongKind, at: 0)) { try scan("1") { _ = try $0.bool() } }
    #expect(throws: JSONError(.unexpectedByte, at: 0)) { try scan("?") { try $0.beginArray() } }
  }
}
