import Foundation
import Testing

@testable import HTTP2Client

@Suite("HTTP/2 settings")
struct SettingsTests {
  @Test(
    "a base URL is scheme, host and port",
    arguments: [
      ("https://api.push.apple.com", "api.push.apple.com", 443, "api.push.apple.com"),
      ("https://api.push.apple.com:2197/", "api.push.apple.com", 2197, "api.push.apple.com:2197"),
      ("HTTPS://localhost:443", "localhost", 443, "localhost"), ("https://[::1]:8443", "::1", 8443, "[::1]:8443"),
      ("https://127.0.0.1", "127.0.0.1", 443, "127.0.0.1"),
    ])
  func good(_ text: String, _ host: String, _ port: Int, _ authority: String) throws {
    let settings = try HTTP2Settings(baseURL: text)
    #expect(settings.scheme == "https")
    #expect(settings.host == host)
    #expect(settings.port == port)
    #expect(settings.authority == authority)
  }

  @Test(
    "anything else is refused",
    arguments: [
      "", "api.push.apple.com", "https://", "http://localhost", "ftp://localhost", "https://u:p@localhost",
      "https://localhost/path", "https://localhost?q", "https://localhost#f", "https://localhost:0",
      "https://localhost:65536", "https://:443", "https://a b",
    ])
  func bad(_ text: String) {
    let error = #expect(throws: HTTP2ConfigurationError.self) { try HTTP2Settings(baseURL: text) }
    #expect(error?.code == .badURL)
  }

  @Test("SNI is the server name, else the host, and nothing for an address")
  func names() throws {
    var settings = try HTTP2Settings(baseURL: "https://127.0.0.1")
    #expect(settings.certificateName == nil)
    settings.serverName = "localhost"
    #expect(settings.certificateName == "localhost")
    #expect(try HTTP2Settings(baseURL: "https://example.org").certificateName == "example.org")
    #expect(try HTTP2Settings(baseURL: "https://[::1]").certificateName == nil)
  }

  @Test("files that cannot be used are told apart, by name, without what is in them")
  func files() throws {
    let directory = FileManager.default.temporaryDirectory.appending(path: "carillon-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: directory) }
    let rubbish = directory.appending(path: "rubbish.pem")
    try Data("-----BEGIN CERTIFICATE-----\nsecret\n".utf8).write(to: rubbish)
    let large = directory.appending(path: "large.pem")
    try Data(count: Limits.fileBytesMaximum + 1).write(to: large)
    let missing = directory.appending(path: "missing.pem")
    func failure(_ change: (inout HTTP2Settings) -> Void) -> HTTP2ConfigurationError? {
      #expect(throws: HTTP2ConfigurationError.self) {
        var settings = try HTTP2Settings(baseURL: "https://localhost")
        change(&settings)
        _ = try HTTP2Origin(settings)
      }
    }
    #expect(failure { $0.caFile = missing.path } == .init(.fileUnreadable, "cannot read missing.pem"))
    #expect(failure { $0.caFile = directory.path }?.code == .fileUnreadable)
    #expect(failure { $0.caFile = large.path } == .init(.fileUnreadable, "large.pem is too large"))
    #expect(failure { $0.caFile = rubbish.path } == .init(.badCertificate, "no PEM certificate in rubbish.pem"))
    #expect(
      failure { $0.clientCertificate = .pkcs12(path: rubbish.path, password: "x") }
        == .init(.badCertificate, "not PKCS#12, or a wrong password: rubbish.pem"))
    #expect(failure { $0.connectionsMaximum = 0 }?.code == .badLimit)
    #expect(failure { $0.requestTimeout = .zero }?.code == .badLimit)
    #expect(failure { $0.calm = .seconds(Int64.max) }?.code == .badLimit)
    #expect(failure { $0.responseBytesMaximum = .max }?.code == .badLimit)
  }

  @Test("a wrong password, and a key of another certificate, are refused")
  func wrongKey() async throws {
    let server = try await FaultyServer()
    func failure(_ certificate: HTTP2Settings.ClientCertificate) -> HTTP2ConfigurationError? {
      #expect(throws: HTTP2ConfigurationError.self) { _ = try server.origin { $0.clientCertificate = certificate } }
    }
    let (chain, key) = (server.file("clientChain"), server.file("serverKey"))
    #expect(failure(.pkcs12(path: server.file("clientP12"), password: "wrong"))?.code == .badCertificate)
    #expect(failure(.pkcs12(path: server.file("clientP12"), password: nil))?.code == .badCertificate)
    #expect(failure(.pem(chainPath: chain, keyPath: chain))?.reason == "no PEM private key in client-cert.pem")
    #expect(
      failure(.pem(chainPath: chain, keyPath: key))?.reason == "client certificate and key do not fit together")
  }
}
