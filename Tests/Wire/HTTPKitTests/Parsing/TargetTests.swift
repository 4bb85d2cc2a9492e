import HTTPKit
import Testing

@Suite("Targets of requests")
struct TargetTests {
  @Test(
    "empty segments of a path are left out, and what follows it is left alone",
    arguments: [
      ("/", nil), ("/a/b", nil), ("/a/b/", nil), ("", nil), ("*", nil), ("/a?x=//b", nil), ("/?//", nil),
      ("//", "/"), ("//a", "/a"), ("/a//b", "/a/b"), ("///a////b//", "/a/b/"), ("//a//?x=//&y", "/a/?x=//&y"),
      ("//ü//€?//", "/ü/€?//"),
    ] as [(String, String?)])
  func emptySegments(target: String, expected: String?) {
    #expect(HeadSurvey.withoutEmptySegments(target) == expected)
  }
}
