import EventSourcing
import Foundation
import JSONEnvelope
import JWTKit
import Testing

@testable import PushProviders

@Suite("Provider token of APNs, by virtual time")
struct ProviderTokenTests {
  private func mint(
    _ store: (any ProviderTokenStore)? = nil, key: ES256PrivateKey = ES256PrivateKey(), random: Double = 0.5
  ) -> ProviderTokenMint {
    ProviderTokenMint(key: key, keyID: "KEY1234567", teamID: "TEAM123456", store: store, storeName: "n") { random }
  }

  private func after(_ minutes: Double) -> Timestamp { mobileNow.advanced(by: .milliseconds(Int64(minutes * 60_000))) }

  @Test("it says who we are and when it was made, nothing else, signed with r||s")
  func form() async throws {
    let key = ES256PrivateKey()
    let token = try await mint(key: key).token(now: mobileNow)
    let parts = token.split(separator: ".").map { part -> [UInt8] in
      var text = String(part).replacing("-", with: "+").replacing("_", with: "/")
      while text.count % 4 != 0 { text += "=" }
      return [UInt8](Data(base64Encoded: text) ?? Data())
    }
    #expect(parts.count == 3)
    #expect(parts[0].text == #"{"alg":"ES256","kid":"KEY1234567"}"#)
    #expect(parts[1].text == #"{"iss":"TEAM123456","iat":1800000000}"#)
    #expect(parts[2].count == 64)
    #expect(!token.contains("="))
  }

  @Test("it is kept for 50 minutes, then replaced")
  func renewal() async throws {
    let mint = mint()
    let first = try await mint.token(now: mobileNow)
    #expect(try await mint.token(now: after(49.9)) == first)
    let second = try await mint.token(now: after(50.1))
    #expect(second != first)
    #expect(try await mint.token(now: after(99)) == second)
    #expect(mint.issuedAt == Timestamp(milliseconds: after(50.1).milliseconds / 1000 * 1000))
  }

  @Test("the 50 minutes vary by two", arguments: [(0.0, 48.0), (0.5, 50.0), (0.999_999, 52.0)])
  func jitter(random: Double, minutes: Double) async throws {
    let mint = mint(random: random)
    let first = try await mint.token(now: mobileNow)
    #expect(try await mint.token(now: after(minutes - 0.1)) == first)
    #expect(try await mint.token(now: after(minutes + 0.1)) != first)
  }

  @Test("a thousand pushes at once use one token")
  func singleFlight() async throws {
    let mint = mint()
    let tokens = try await withThrowingTaskGroup(of: String.self) { group in
      for _ in 0..<1_000 { group.addTask { try await mint.token(now: mobileNow) } }
      return try await group.reduce(into: Set<String>()) { $0.insert($1) }
    }
    #expect(tokens.count == 1)
  }

  @Test("after a restart the stored one is used until its time, not made anew")
  func restart() async throws {
    let store = MemoryTokenStore()
    let first = try await mint(store).token(now: mobileNow)
    for minutes in [0.0, 1, 19, 30, 49] {
      #expect(try await mint(store).token(now: after(minutes)) == first, "\(minutes)")
    }
    let second = try await mint(store).token(now: after(51))
    #expect(second != first)
    #expect(store.all["n"]?.token == second)
  }

  @Test("a stored one from a clock that was ahead is not used")
  func restartClock() async throws {
    let store = MemoryTokenStore()
    let first = try await mint(store).token(now: after(60))
    #expect(try await mint(store).token(now: mobileNow) != first)
  }

  @Test("said to have expired, an old one is renewed, once within a minute")
  func expired() async throws {
    let mint = mint()
    let first = try await mint.token(now: mobileNow)
    #expect(await mint.expired(first, date: nil, now: after(30)) == .renewed)
    let second = try await mint.token(now: after(30))
    #expect(second != first)
    #expect(await mint.expired(first, date: nil, now: after(30.1)) == .renewed, "the other one is there already")
    #expect(try await mint.token(now: after(30.1)) == second)
    #expect(await mint.expired(second, date: nil, now: after(30.5)) == .clock)
    #expect(try await mint.token(now: after(30.5)) == second)
  }

  @Test("one younger than 20 minutes is never replaced, unless a clock is wrong")
  func young() async throws {
    let mint = mint()
    let first = try await mint.token(now: mobileNow)
    #expect(await mint.expired(first, date: nil, now: after(19.9)) == .clock)
    #expect(try await mint.token(now: after(19.9)) == first)
    #expect(await mint.expired(first, date: after(19.9), now: after(19.9)) == .clock, "Apple's clock agrees")
    #expect(try await mint.token(now: after(19.9)) == first)
  }

  @Test("if Apple's clock differs much, the next one is made by it")
  func wrongClock() async throws {
    let mint = mint()
    let first = try await mint.token(now: mobileNow)
    #expect(await mint.expired(first, date: after(125), now: after(5)) == .renewed)
    let second = try await mint.token(now: after(5))
    #expect(second != first)
    #expect(mint.issuedAt == after(125))
    #expect(try await mint.token(now: after(54)) == second)
    #expect(try await mint.token(now: after(56)) != second)
  }

  @Test("too many updates: the present one stays for a minute, whatever comes")
  func held() async throws {
    let mint = mint()
    let first = try await mint.token(now: mobileNow)
    await mint.tooManyUpdates(now: after(50.5))
    #expect(await mint.expired(first, date: nil, now: after(50.6)) == .clock)
    #expect(try await mint.token(now: after(51.4)) == first)
    #expect(try await mint.token(now: after(51.6)) != first)
  }

  @Test("lanes of one team and key share it, another key has its own")
  func shared() {
    let mints = ProviderTokenMints(store: nil) { 0.5 }
    let key = ES256PrivateKey()
    let pem = Array(key.pemRepresentation.utf8)
    let one = mints.mint(key, pem: pem, keyID: "K", teamID: "T")
    #expect(one === mints.mint(key, pem: pem, keyID: "K", teamID: "T"))
    #expect(one !== mints.mint(key, pem: pem, keyID: "L", teamID: "T"))
    #expect(one !== mints.mint(key, pem: pem, keyID: "K", teamID: "U"))
    #expect(one !== mints.mint(key, pem: [1], keyID: "K", teamID: "T"))
  }
}

@Suite("Provider tokens in files")
struct ProviderTokenStoreTests {
  private func withDirectory(_ body: (String) throws -> Void) throws {
    let directory = FileManager.default.temporaryDirectory.appending(path: "tokens-\(UUID().uuidString)").path
    defer { try? FileManager.default.removeItem(atPath: directory) }
    try body(directory)
  }

  private let token = StoredProviderToken(token: "a.b.c", issuedAt: Timestamp(milliseconds: 1_800_000_000_000))

  @Test("what was saved is loaded again, by another store too")
  func roundTrip() throws {
    try withDirectory { directory in
      FileProviderTokenStore(directory: directory).save(token, as: "apns-x_-1")
      #expect(FileProviderTokenStore(directory: directory).load("apns-x_-1") == token)
      #expect(FileProviderTokenStore(directory: directory).load("apns-y") == nil)
    }
  }

  @Test("only its owner can read it, and nothing else is left behind")
  func permissions() throws {
    try withDirectory { directory in
      let store = FileProviderTokenStore(directory: directory)
      for _ in 0..<3 { store.save(token, as: "n") }
      let left = try FileManager.default.contentsOfDirectory(atPath: directory)
      #expect(left == ["n"])
      let attributes = try FileManager.default.attributesOfItem(atPath: directory + "/n")
      #expect(attributes[.posixPermissions] as? Int == 0o600)
    }
  }

  @Test("a name cannot leave the directory")
  func names() throws {
    try withDirectory { directory in
      let store = FileProviderTokenStore(directory: directory + "/inner")
      for name in ["../evil", ".hidden", "a/b", ""] {
        store.save(token, as: name)
        #expect(store.load(name) == token, "\(name)")
      }
      let left = try FileManager.default.contentsOfDirectory(atPath: directory)
      #expect(left == ["inner"])
    }
  }

  @Test(
    "a broken file is no token",
    arguments: [
      "", "{}", #"{"token":"","issued_at":1}"#, #"{"token":"a\nb","issued_at":1}"#, #"{"token":"a","issued_at":"1"}"#,
      #"{"token":"a","issued_at":-5}"#, #"{"token":"a","issued_at":9223372036854775807}"#,
    ])
  func broken(content: String) throws {
    try withDirectory { directory in
      try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
      try Data(content.utf8).write(to: URL(fileURLWithPath: directory + "/n"))
      #expect(FileProviderTokenStore(directory: directory).load("n") == nil)
    }
  }

  @Test("its description leaves the token out")
  func description() { #expect(!"\(token)".contains("a.b.c")) }
}
