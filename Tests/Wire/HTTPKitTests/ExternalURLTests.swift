import HTTPKit
import Testing

@Suite("URLs of this server")
struct ExternalURLTests {
  @Test(
    "begin with what the server is known by",
    arguments: [
      ("https://chat.example.test", "https://chat.example.test/genesys"),
      ("https://chat.example.test/genesys", "https://chat.example.test/genesys"),
      ("https://example.test/proxied/gms", "https://example.test/proxied/gms"),
      ("http://127.0.0.1:8080", "http://127.0.0.1:8080/genesys"),
    ])
  func urls(origin: String, base: String) {
    let url = ExternalURL(origin: origin)
    #expect(url.base == base)
    #expect(url.instance("X") == base + "/1/service/X")
    #expect(url.comet == base + "/cometd")
    #expect(ExternalURL(origin: origin, comet: "https://comet.test/c").comet == "https://comet.test/c")
  }
}
