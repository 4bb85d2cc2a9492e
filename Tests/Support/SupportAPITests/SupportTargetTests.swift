import SupportAPI
import Testing

@Suite("Targets of support's surface")
struct SupportTargetTests {
  @Test(
    "the ending `.json` is taken off, and nothing else",
    arguments: [
      ("/api/v2/requests.json", "/api/v2/requests"), ("/api/v2/requests.json?a=b.json", "/api/v2/requests?a=b.json"),
      ("/api/v2/requests?a=b.json", "/api/v2/requests?a=b.json"), ("/api/x.json.json", "/api/x.json"),
      ("/attachments/token/a.json", "/attachments/token/a.json"), ("/api/requests.jsonx", "/api/requests.jsonx"),
    ])
  func targets(target: String, expected: String) {
    #expect(SupportTarget.withoutFormat(target) == expected)
  }
}
