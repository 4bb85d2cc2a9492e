import JSONEnvelope
import Testing

@Suite("JSON text beyond its limits")
struct JSONLimitsTests {
  @Test("may nest as deep as allowed and no deeper", arguments: ["[", #"{"a":"#])
  func depth(opening: String) throws {
    let closing = opening == "[" ? "]" : "}"
    func nested(_ depth: Int) -> [UInt8] {
      let inner = opening == "[" ? "" : "0"
      return Array(
        (String(repeating: opening, count: depth) + inner + String(repeating: closing, count: depth)).utf8)
    }
    #expect(throws: Never.self) { try JSONValue(parsing: nested(64)) }
    #expect(throws: JSONError(.tooDeep, at: 64 * opening.utf8.count)) { try JSONValue(parsing: nested(65)) }
    #expect(throws: Never.self) { try skip(nested(64)) }
    #expect(throws: JSONError(.tooDeep, at: 64 * opening.utf8.count)) { try skip(nested(65)) }
    #expect(throws: JSONError.self) { try JSONValue(parsing: nested(5), limits: JSONLimits(depthMaximum: 4)) }
    #expect(throws: JSONError.self) { try skip(nested(5), limits: JSONLimits(depthMaximum: 4)) }
    #expect(throws: JSONError(.tooDeep, at: 64)) { try JSONValue(parsing: String(repeating: "[", count: 1_000_000)) }
  }

  @Test("counts the levels around a skipped value")
  func depthAround() throws {
    let text = Array(#"{"a":{"b":[1]}}"#.utf8)
    try text.withUnsafeBytes { buffer in
      var scanner = try JSONScanner(buffer, limits: JSONLimits(depthMaximum: 2))
      try scanner.beginObject()
      _ = try scanner.nextKey()
      #expect(throws: JSONError(.tooDeep, at: 10)) { try scanner.skipValue() }
    }
  }

  @Test(
    "is refused for a number of a million digits, looking at no more than the limit",
    arguments: ["", "-", "0.", "1e"])
  func number(prefix: String) {
    let text = Array((prefix + String(repeating: "1", count: 1_000_000)).utf8)
    #expect(throws: JSONError(.numberTooLong, at: 0)) { try JSONValue(parsing: text) }
    #expect(throws: JSONError(.numberTooLong, at: 0)) { try skip(text) }
  }

  @Test("may hold a number of just the allowed length")
  func numberAtLimit() throws {
    let digits = String(repeating: "0", count: 510)
    #expect(try JSONValue(parsing: "0.\(digits)") == .double(0))
    #expect(throws: JSONError(.numberTooLong, at: 0)) { try JSONValue(parsing: "0.\(digits)0") }
    #expect(try JSONValue(parsing: "12345678", limits: JSONLimits(numberBytesMaximum: 8)) == 12_345_678)
    #expect(throws: JSONError(.numberTooLong, at: 1)) {
      try JSONValue(parsing: "[123456789]", limits: JSONLimits(numberBytesMaximum: 8))
    }
  }

  @Test("is refused for a number no double can hold")
  func numberRange() {
    #expect(throws: JSONError(.numberOutOfRange, at: 0)) { try JSONValue(parsing: "1e999") }
    #expect(throws: JSONError(.numberOutOfRange, at: 1)) { try JSONValue(parsing: "[-1e400]") }
  }

  @Test("is refused as a whole if too long")
  func document() {
    let limits = JSONLimits(documentBytesMaximum: 4)
    #expect(throws: Never.self) { try JSONValue(parsing: "1234", limits: limits) }
    #expect(throws: JSONError(.tooLong, at: 4)) { try JSONValue(parsing: "12345", limits: limits) }
  }
}
