import JSONEnvelope
import Testing

@testable import Engine

@Suite("State diff")
struct StateDiffTests {
  private func lines(_ before: String, _ after: String) throws -> [String] {
    StateDiff(from: try JSONValue(parsing: before), to: try JSONValue(parsing: after)).lines
  }

  @Test("a line for each field that came, went or changed")
  func fields() throws {
    #expect(
      try lines(
        #"{"lifecycle":"created","data":[],"gone":1,"same":{"a":[1,2]}}"#,
        #"{"lifecycle":"live","data":[{"name":"email","value":"x"}],"same":{"a":[1,2]},"new":null}"#)
        == [
          #"+ data[0]  {"name":"email","value":"x"}"#,
          "- gone  1",
          #"~ lifecycle  "created" → "live""#,
          "+ new  null",
        ])
  }

  @Test("additions to a list are lines of their own; inside an element, fields are compared")
  func lists() throws {
    #expect(
      try lines(#"{"t":[{"x":1}]}"#, #"{"t":[{"x":2},{"x":3},4]}"#)
        == ["~ t[0].x  1 → 2", #"+ t[1]  {"x":3}"#, "+ t[2]  4"])
    #expect(try lines(#"{"t":[1,2]}"#, #"{"t":[1]}"#) == ["- t[1]  2"])
  }

  @Test("equal states differ in nothing, whatever the order of their fields")
  func equal() throws { #expect(try lines(#"{"a":1,"b":2}"#, #"{"b":2,"a":1}"#).isEmpty) }
}
