import Testing

@testable import StandbyAPI

@Suite("The range of a file that a standby asks for")
struct ByteRangeTests {
  @Test(
    "what there is of it",
    arguments: [
      ("bytes=0-", 0..<10), ("bytes=3-", 3..<10), ("bytes=3-3", 3..<4), ("bytes=0-9", 0..<10),
      ("bytes=8-9000", 8..<10), ("bytes=9-9", 9..<10), ("bytes=10-", nil), ("bytes=10-11", nil),
      ("bytes=3-9223372036854775807", 3..<10),
    ] as [(String, Range<Int>?)])
  func ranges(field: String, range: Range<Int>?) throws {
    #expect(try #require(ByteRange(field)).range(in: 10) == range)
  }

  @Test(
    "anything else asks for all of the file",
    arguments: [
      "", "bytes", "bytes=", "bytes=-", "bytes=-5", "bytes=5", "bytes=5-3", "bytes=a-b", "bytes=0-1,3-4", "bytes=+1-2",
      "bytes= 1-2", "items=0-1", "bytes=99999999999999999999-",
    ])
  func others(field: String) { #expect(ByteRange(field) == nil) }

  @Test("of an empty file there is nothing")
  func empty() throws { #expect(try #require(ByteRange("bytes=0-")).range(in: 0) == nil) }
}
