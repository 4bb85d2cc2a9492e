import JSONEnvelope
import Testing

@Suite("JSON text, parsed")
struct JSONParsingTests {
  @Test(
    "is taken when RFC 8259 allows it",
    arguments: [
      ("null", .null), ("true", true), (" false\n", false), ("0", 0), ("-0", 0), ("-1", -1),
      ("9223372036854775807", .integer(.max)), ("-9223372036854775808", .integer(.min)),
      ("9223372036854775808", .digits("9223372036854775808")),
      ("-9223372036854775809", .digits("-9223372036854775809")), ("1.0", .double(1)), ("-0.5e1", .double(-5)),
      ("1E2", .double(100)), ("1e-2", .double(0.01)), ("0e0", .double(0)),
      (#""""#, ""), (#""abcdefghijklmnop""#, "abcdefghijklmnop"), (#""\"\\\/\b\f\n\r\t""#, "\"\\/\u{8}\u{C}\n\r\t"),
      (#""\u0041\u00e4\u20AC""#, "Aä€"), (#""\ud83d\ude00x""#, "😀x"), (#""\u0000""#, "\0"),
      (#""ä€😀\u007f""#, "ä€😀\u{7F}"),
      ("[]", []), (" [ ] ", []), ("{}", [:]), ("[1,[2,{}],null]", [1, [2, [:]], nil]),
      ("\t{ \"a\" : 1 , \"b\" : [ true ] }\r\n", ["a": 1, "b": [true]]),
      (#"{"a":1,"b":2,"a":3}"#, ["a": 3, "b": 2]), (#"{"":0}"#, ["": 0]),
    ] as [(String, JSONValue)])
  func accepts(text: String, value: JSONValue) throws {
    #expect(try JSONValue(parsing: text) == value)
    // Skipping must agree with reading.
    #expect(try skip(Array(text.utf8)) == text.utf8.count)
  }

  @Test(
    "is refused when RFC 8259 does not allow it",
    arguments: [
      ("", .unexpectedEnd), ("  ", .unexpectedEnd), ("[", .unexpectedEnd), ("{", .unexpectedEnd),
      ("[1", .unexpectedEnd), ("[1,", .unexpectedEnd), (#"{"a""#, .unexpectedEnd), (#"{"a":"#, .unexpectedEnd),
      (#"{"a":1"#, .unexpectedEnd), ("tru", .unexpectedEnd), ("-", .unexpectedEnd), ("1.", .unexpectedEnd),
      ("1e", .unexpectedEnd), ("1e+", .unexpectedEnd), (#"""#, .unexpectedEnd), (#""abc\"#, .unexpectedEnd),
      (#""\u12"#, .unexpectedEnd), (#""abcdefghij"#, .unexpectedEnd),
      ("[1,]", .unexpectedByte), ("[,1]", .unexpectedByte), ("[1 2]", .unexpectedByte), ("[1}", .unexpectedByte),
      ("{1:2}", .unexpectedByte), (#"{"a":1,}"#, .unexpectedByte), (#"{,"a":1}"#, .unexpectedByte),
      (#"{"a" 1}"#, .unexpectedByte), (#"{"a":1]"#, .unexpectedByte), (#"{"a":1 "b":2}"#, .unexpectedByte),
      (#"{"a":}"#, .unexpectedByte), ("'a'", .unexpectedByte), ("NaN", .unexpectedByte), ("Infinity", .unexpectedByte),
      ("+1", .unexpectedByte), (".5", .unexpectedByte), ("nul1", .unexpectedByte), ("True", .unexpectedByte),
      ("/**/1", .unexpectedByte), ("\u{FEFF}1", .unexpectedByte), ("\u{A0}1", .unexpectedByte), ("]", .unexpectedByte),
      ("01", .invalidNumber), ("-01", .invalidNumber), ("1.e1", .invalidNumber), ("-a", .invalidNumber),
      ("1e1.5", .trailingBytes), ("1 2", .trailingBytes), ("{}x", .trailingBytes), ("[]]", .trailingBytes),
      ("nullx", .trailingBytes), ("0x1", .trailingBytes),
      (#""\x41""#, .invalidEscape), (#""\u00zz""#, .invalidEscape), (#""\U0041""#, .invalidEscape),
      ("\"\n\"", .controlCharacter), ("\"abcdefgh\u{1F}\"", .controlCharacter), ("\"\0\"", .controlCharacter),
      (#""\ud800""#, .loneSurrogate), (#""\udc00""#, .loneSurrogate), (#""\ud800\u0041""#, .loneSurrogate),
      (#""\ud800\ud800""#, .loneSurrogate), (#""\ud800x""#, .loneSurrogate), (#""\ude00\ud83d""#, .loneSurrogate),
    ] as [(String, JSONError.Reason)])
  func refuses(text: String, reason: JSONError.Reason) throws {
    #expect(self.reason { try JSONValue(parsing: text) } == reason)
    #expect(self.reason { try skip(Array(text.utf8)) } == reason)
    // Anywhere inside, too, where the eight-byte steps fall differently.
    if reason != .trailingBytes, reason != .unexpectedEnd, text != "]" {
      for blanks in 1...9 {
        let text = "[" + String(repeating: " ", count: blanks) + text + "]"
        #expect(self.reason { try JSONValue(parsing: text) } == reason)
        #expect(self.reason { try skip(Array(text.utf8)) } == reason)
      }
    }
  }

  @Test("says where the error is")
  func offset() {
    #expect(throws: JSONError(.unexpectedByte, at: 4)) { try JSONValue(parsing: "[1, x]") }
    #expect(JSONError(.unexpectedByte, at: 4).description == "unexpected character at byte 4")
  }

  @Test("is refused exactly when the standard library finds its UTF-8 invalid")
  func utf8() {
    // All sequences of up to four bytes that begin with a byte above ASCII; the bytes after it from the edges of all
    // ranges that the encoding knows.
    let edges: [UInt8] = [0x20, 0x41, 0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC0, 0xC2, 0xE1, 0xFF]
    var checked = 0
    func check(_ bytes: [UInt8]) {
      let text: [UInt8] = [UInt8(ascii: "\"")] + bytes + [UInt8(ascii: "\"")]
      let expected = String(validating: bytes, as: UTF8.self)
      let parsed = try? JSONValue(parsing: text)
      if parsed?.string.map({ Array($0.utf8) }) != expected.map({ Array($0.utf8) }) {
        Issue.record("\(bytes)")
      }
      checked += 1
    }
    for first in UInt8(0x80)...0xFF {
      check([first])
      for second in edges {
        check([first, second])
        for third in edges {
          check([first, second, third])
          if first >= 0xE0 {
            for fourth in edges { check([first, second, third, fourth]) }
          }
        }
      }
    }
    #expect(checked > 80_000)
  }

  @Test("keeps the order of members, the last of several with one name counts")
  func order() throws {
    let object = try #require(try JSONValue(parsing: #"{"b":1,"a":2,"c":3,"a":{"x":[]}}"#).object)
    #expect(object.names == ["b", "a", "c"])
    #expect(object["a"] == ["x": []])
    #expect(object["d"] == nil)
  }

  @Test(
    "keeps every digit of a whole number, whatever its size",
    arguments: [
      "9007199254740993", "9223372036854775807", "-9223372036854775808", "18446744073709551616",
      "-170141183460469231731687303715884105729", "100000000000000000000000000000000000000001",
    ])
  func wholeNumbers(digits: String) throws {
    let value = try JSONValue(parsing: "[\(digits),{\"n\":\(digits)}]")
    #expect(String(decoding: value.text, as: UTF8.self) == "[\(digits),{\"n\":\(digits)}]")
    #expect(value[0]?.lenientString == digits)
    #expect(value[0]?.integer == Int(digits))
    #expect(value[0]?.double == Double(digits))
  }

  /// `é` in one scalar and in two, the sign for Kelvin and the letter: `==` takes each two for one.
  private static let twins = [
    ("\u{E9}", "e\u{301}"), ("\u{212A}ey", "Key"), ("\u{1E9B}\u{323}", "\u{17F}\u{323}\u{307}"),
  ]

  @Test("compares names byte for byte, in small objects and in large ones", arguments: twins, [0, 40])
  func exactNames(_ twins: (String, String), _ others: Int) throws {
    #expect(twins.0 == twins.1, "this is what Swift says")
    let filler = (0..<others).map { "\"x\($0)\":0," }.joined()
    let object = try #require(
      try JSONValue(parsing: "{\(filler)\"\(twins.0)\":1,\"\(twins.1)\":2,\"\(twins.0)\":3}").object)
    #expect(object.count == others + 2)
    #expect(object[twins.0] == 3 && object[twins.1] == 2)
    #expect(JSONObject(dictionaryLiteral: (twins.0, 1)) != JSONObject(dictionaryLiteral: (twins.1, 1)))
    #expect(object.members.last.map { Array($0.name.utf8) } == Array(twins.1.utf8))
  }

  @Test("does not take an escaped name for one that only looks the same")
  func escapedNames() throws {
    func isKey(_ json: String) throws -> Bool {
      try Array(json.utf8).withUnsafeBytes { bytes in
        var scanner = try JSONScanner(bytes)
        try scanner.beginObject()
        switch try #require(try scanner.nextKey()) {
        case "Key": return true
        default: return false
        }
      }
    }
    #expect(try isKey(#"{"\u004bey":1}"#))
    #expect(try !isKey(#"{"\u212aey":1}"#))
  }

  @Test("finds members of large objects, also after one is removed")
  func largeObject() throws {
    var object = JSONObject()
    for index in 0..<5_000 { object["k\(index)"] = .integer(Int64(index)) }
    for index in stride(from: 0, to: 5_000, by: 2) { object["k\(index)"] = .integer(-1) }
    #expect(object.count == 5_000)
    object["k1"] = nil
    #expect(object.count == 4_999)
    #expect(object["k1"] == nil)
    #expect(object["k2"] == -1)
    #expect(object["k4999"] == 4_999)
    #expect(object.names.first == "k0" && object.names[1] == "k2")
  }
}

func skip(_ bytes: [UInt8], limits: JSONLimits = JSONLimits()) throws(JSONError) -> Int {
  let result = bytes.withUnsafeBytes { buffer in
    Result { () throws(JSONError) -> Int in
      var scanner = try JSONScanner(buffer, limits: limits)
      try scanner.skipValue()
      try scanner.end()
      return scanner.position
    }
  }
  return try result.get()
}

extension JSONParsingTests {
  func reason(_ work: () throws -> some Any) -> JSONError.Reason? {
    do {
      _ = try work()
      return nil
    } catch {
      return (error as? JSONError)?.reason
    }
  }
}
