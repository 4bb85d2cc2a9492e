import EntityRuntime
import EventSourcing
import Foundation
import Testing

@testable import HTTPEdge

/// A directory of its own for each test, gone with it.
final class TemporaryDirectory {
  let path: String

  init() throws {
    path = FileManager.default.temporaryDirectory.appendingPathComponent("carillon-\(UUID().uuidString)").path
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }
}

@Suite("Token store")
struct TokenStoreTests {
  let directory: TemporaryDirectory
  let store: TokenStore

  init() throws {
    directory = try TemporaryDirectory()
    store = try TokenStore(directory: directory.path, now: { Timestamp(milliseconds: 1_770_798_605_000) })
  }

  @Test("a sender's new key is good at once, also where others have just been looked up")
  func newSender() throws {
    // Another process makes it, as `carillon token create` does.
    let other = try TokenStore(directory: directory.path)
    for number in 1...20 {
      #expect(store.sender(forKey: "none") == nil)
      #expect(!store.isSender("\(number)"))
      let key = try other.create(
        name: "shop-\(number)", role: .sender, sender: SenderGrant(sender: "\(number)", projectID: "p\(number)"))
      #expect(store.sender(forKey: key)?.sender == "\(number)")
      #expect(store.isSender("\(number)") && store.sender(ofProject: "p\(number)") == "\(number)")
    }
  }

  @Test("a new secret opens its token, and only that one")
  func creating() throws {
    #expect(store.isEmpty)
    let secret = try store.create(name: "anna", role: .agent)
    let other = try store.create(name: "bert", role: .bot)
    #expect(secret.hasPrefix("car_"))
    #expect(secret.utf8.count == 4 + 43)
    #expect(store.token(for: secret)?.name == "anna")
    #expect(store.token(for: other)?.role == .bot)
    #expect(store.token(for: secret + "x") == nil)
    #expect(store.token(for: "") == nil)
    #expect(!store.isEmpty)
  }

  @Test("a name that somebody is just being signed in with is no token's, and nobody else's")
  func claims() throws {
    let edge = TokenStore(store, opening: NoSessions())
    func code(_ body: () throws -> Void) -> TokenStoreError.Code? {
      do {
        try body()
        return nil
      } catch { return (error as? TokenStoreError)?.code }
    }
    // In two browsers at once.
    for _ in 0..<2 { try edge.claim("anna", for: "openid:1") }
    #expect(code { try edge.claim("anna", for: "openid:2") } == .nameTaken)
    #expect(code { try edge.claim("bert", for: "openid:2") } == nil)
    edge.giveBack("anna")
    #expect(code { _ = try edge.create(name: "anna", role: .agent) } == .nameTaken)
    edge.giveBack("anna")
    #expect(code { _ = try edge.create(name: "anna", role: .agent) } == nil)
    #expect(code { try edge.claim("anna", for: "openid:1") } == .nameTaken)
  }

  @Test("the file holds hashes, not secrets, and only its owner may read it")
  func file() throws {
    let secret = try store.create(name: "anna", role: .supervisor)
    let path = directory.path + "/tokens.json"
    let text = try String(contentsOfFile: path, encoding: .utf8)
    #expect(!text.contains(secret.dropFirst(4)))
    #expect(text.contains("2026-02-11T08:30:05Z"))
    let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
    #expect(mode == 0o600)
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: directory.path).sorted() == [
        "tokens.json", "tokens.json.lock",
      ])
  }

  @Test("a revocation by another process holds at once")
  func revocation() throws {
    let secret = try store.create(name: "anna", role: .agent)
    let token = try #require(store.token(for: secret))
    #expect(store.isUsable(token))
    let commandLine = try TokenStore(directory: directory.path)
    try commandLine.revoke("anna")
    #expect(store.token(for: secret) == nil)
    #expect(!store.isUsable(token))
    #expect(store.isEmpty)
    #expect(try store.list().map(\.isUsable) == [false])
  }

  @Test("a rotated token is the same holder's with another secret; the old one opens nothing from then on")
  func rotation() throws {
    let grant = SenderGrant(sender: "12345", allowedAddresses: ["10.0.0.1"], projectID: "shop")
    let old = try store.create(name: "shop", role: .sender, sender: grant)
    let before = try #require(store.token(for: old))
    let (secret, token) = try store.rotate("shop")
    #expect(secret != old && store.token(for: old) == nil)
    #expect(!store.isUsable(before), "what was opened with the old one is closed")
    #expect(store.token(for: secret) == token)
    #expect(token.id != before.id && token.name == "shop" && token.role == .sender && token.sender == grant)
    #expect(store.isSecret(secret, of: "shop") && store.isSecret(secret, of: token.id))
    #expect(!store.isSecret(old, of: "shop") && !store.isSecret(secret, of: "anna"))
    #expect {
      try store.rotate(before.id)
    } throws: { ($0 as? TokenStoreError)?.code == .unknownToken }
    #expect(try store.list().map(\.isUsable) == [false, true])
  }

  @Test("a revoked name may be given again, a usable one may not")
  func names() throws {
    let first = try store.create(name: "anna", role: .agent)
    #expect {
      try store.create(name: "anna", role: .bot)
    } throws: { ($0 as? TokenStoreError)?.code == .nameTaken }
    let id = try #require(store.token(for: first)).id
    try store.revoke(id)
    let second = try store.create(name: "anna", role: .agent)
    #expect(store.token(for: first) == nil)
    #expect(store.token(for: second) != nil)
    #expect {
      try store.revoke("nobody")
    } throws: { ($0 as? TokenStoreError)?.code == .unknownToken }
  }

  @Test("names are bounded", arguments: ["", String(repeating: "n", count: 65), "a\nb"])
  func invalidNames(_ name: String) {
    #expect {
      try store.create(name: name, role: .agent)
    } throws: { ($0 as? TokenStoreError)?.code == .invalidName }
  }

  @Test(
    "a file that is not ours opens nothing and is not overwritten",
    arguments: ["", "{}", "{\"tokens\":[{\"id\":\"x\"}]}"])
  func malformed(_ content: String) throws {
    let path = directory.path + "/tokens.json"
    let secret = try store.create(name: "anna", role: .agent)
    try content.write(toFile: path, atomically: true, encoding: .utf8)
    #expect(store.token(for: secret) == nil)
    #expect(store.isEmpty)
    #expect {
      try store.create(name: "bert", role: .agent)
    } throws: { ($0 as? TokenStoreError)?.code == .malformed }
    #expect(try String(contentsOfFile: path, encoding: .utf8) == content)
  }

  @Test("the code of a link is good once, for five minutes, for a usable token whose role has a part in the console")
  func codes() throws {
    let time = ManualTime(start: Timestamp(milliseconds: 1_770_798_605_000))
    let store = try TokenStore(directory: directory.path) { time.now }
    _ = try store.create(name: "anna", role: .agent)
    _ = try store.create(name: "ops", role: .admin)
    let (first, token) = try store.makeCode(for: "anna")
    #expect(first.hasPrefix("csc_") && token.name == "anna")
    let file = try String(contentsOfFile: directory.path + "/tokens.json", encoding: .utf8)
    #expect(!file.contains(first), "only the hash is kept")
    // Another process knows it at once, and a code that is used is gone from the disk before anybody hears of it.
    let other = try TokenStore(directory: directory.path) { time.now }
    #expect(try other.redeem(first)?.token.name == "anna")
    #expect(try store.redeem(first) == nil && other.redeem(first) == nil)
    let ofOps = try store.makeCode(for: "ops")
    let late = try store.makeCode(for: "anna").code
    time.advance(by: .seconds(299))
    #expect(try store.redeem(ofOps.code)?.token.id == ofOps.token.id)
    time.advance(by: .seconds(1))
    #expect(try store.redeem(late) == nil)
    #expect(try TokenFile(directory: directory.path).read().codes.isEmpty)
    for code in ["", "csc_", first + "x", String(repeating: "c", count: 10_000)] {
      #expect(try store.redeem(code) == nil)
    }
    let rotated = try store.makeCode(for: "anna").code
    _ = try store.rotate("anna")
    #expect(try store.redeem(rotated) == nil, "it was for the token that there was")
    _ = try store.create(name: "back end", role: .publisher)
    for (name, code) in [("nobody", TokenStoreError.Code.unknownToken), ("back end", .invalidRole)] {
      let error = #expect(throws: TokenStoreError.self) { try store.makeCode(for: name) }
      #expect(error?.code == code)
    }
    for _ in 0..<EdgeLimits.signInCodesMaximum { _ = try store.makeCode(for: "ops") }
    #expect(throws: TokenStoreError.self) { try store.makeCode(for: "ops") }
    time.advance(by: .seconds(300))
    _ = try store.makeCode(for: "ops")
    #expect(try TokenFile(directory: directory.path).read().codes.count == 1, "those that were never used are gone")
  }

  @Test("what is printed can be read again")
  func roundTrip() throws {
    try store.revoke(try #require(store.token(for: try store.create(name: "x y", role: .bot))).id)
    _ = try store.create(name: "ä\"", role: .supervisor)
    let code = try store.makeCode(for: "ä\"")
    let content = try TokenFile(directory: directory.path).read()
    #expect(content.tokens == (try store.list()) && content.codes.map(\.tokenID) == [code.token.id])
    #expect(try TokenFile.parse(TokenFile.print(content), path: "") == content)
  }
}

/// Nobody is signed in.
private struct NoSessions: SessionReader {
  var people: [AccessToken] { [] }

  func holder(ofSession key: String) -> SessionHolder? { nil }
  func used(session key: String) {}
  func visited(session key: String, from visit: SessionVisit) {}
  func orphaned(session key: String) {}
  func superseded(session key: String) {}
  func onChange(_ follower: @escaping @Sendable () -> Void) {}
}
