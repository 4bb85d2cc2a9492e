import NIOCore
import Testing

@testable import CarillonClient

@Suite("Server addresses")
struct ServerAddressTests {
  @Test(
    "are read from URLs",
    arguments: [
      ("http://localhost", ServerAddress(host: "localhost", port: 80)),
      ("http://127.0.0.1:8080/", ServerAddress(host: "127.0.0.1", port: 8080)),
      (
        "https://chat.example.test/base/",
        ServerAddress(host: "chat.example.test", port: 443, isSecure: true, basePath: "/base")
      ),
      ("http://[::1]:81", ServerAddress(host: "::1", port: 81)),
    ])
  func urls(text: String, expected: ServerAddress) throws { #expect(try ServerAddress(text) == expected) }

  @Test("that are none are refused", arguments: ["", "localhost:80", "ftp://x", "http://", "http://x:0", "http://x:y"])
  func refused(text: String) { #expect(throws: ClientError.invalidAddress(text)) { try ServerAddress(text) } }
}

@Suite("Back-off")
struct BackOffTests {
  @Test(
    "grows by a second each time, up to a minute", arguments: [(0, 0), (1, 1), (2, 2), (59, 59), (60, 60), (1_000, 60)])
  func growth(failures: Int, seconds: Int) { #expect(BackOff().delay(afterFailures: failures) == .seconds(seconds)) }
}

@Suite("Requests")
struct HTTPRequestTests {
  @Test("carry forms percent-encoded")
  func form() {
    let body = formEncoded([(name: "a b", value: "ü&="), (name: "c", value: "")])
    #expect(String(decoding: body, as: UTF8.self) == "a%20b=%C3%BC%26%3D&c=")
  }

  @Test("cannot be split by a header's value")
  func headers() {
    let request = HTTPRequest(.get, "/", headers: [(name: "gms_user", value: "x\r\nEvil: 1")])
    let text = String(buffer: request.bytes(for: ServerAddress(host: "h", port: 80)))
    #expect(text == "GET / HTTP/1.1\r\nHost: h\r\ngms_user: xEvil: 1\r\n\r\n")
  }

  @Test("prove who asks by Basic credentials")
  func basic() {
    #expect(basicAuthorization(username: "Aladdin", password: "open sesame") == "Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==")
  }
}
