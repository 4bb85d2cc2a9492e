import Bayeux
import JSONEnvelope
import ScriptedClients
import TestSupport
import Testing

@testable import Engine
@testable import EngineRigs

extension CometCaller: CustomTestStringConvertible {
  public var testDescription: String { summary }
}

@Suite("A Comet session belongs to its user", .timeLimit(.minutes(2)))
struct CometOwnershipTests {
  /// Whoever asks gets an answer if it may speak for the session, else 402, and the session goes on as it was.
  private func ask(
    _ caller: CometCaller, for owner: CometCaller, isPermitted: Bool, kind: String?,
    configure: (inout EngineConfiguration) -> Void = { _ in }
  ) async throws {
    let heard = HeardLog()
    let rig = try await EngineRig(
      directory: try EngineRig.temporaryDirectory(), logger: heard.logger, configure: configure)
    let comet = rig.engine.comet
    let clientID = try #require(try await owner.handshake(comet)["clientId"]?.string)
    // Before it has connected and after, which are two ways through the gateway.
    for _ in 1...2 {
      let reply = try await caller.connect(clientID, comet)
      #expect(reply["successful"]?.bool == isPermitted)
      if !isPermitted {
        #expect(reply["error"]?.string == "402::Unknown client")
        #expect(try await caller.disconnect(clientID, comet)["error"]?.string == "402::Unknown client")
      }
      #expect(try await owner.connect(clientID, comet)["successful"] == true)
    }
    #expect(heard.lines.map(\.metadata) == (kind.map { [["kind": $0, "address": "203.0.113.9"]] } ?? []))
    if let line = heard.lines.first { #expect(!line.message.contains(clientID)) }
    await rig.stop()
  }

  @Test(
    "another gms_user or another browser's cookie is nobody",
    arguments: [
      (.poll("A", "a"), .poll("A", "a"), nil), (.poll("A", "a"), .socket("A", "a"), nil),
      (.poll("A", "a"), .poll("A"), nil), (.poll("A", "a"), .socket("A"), nil),
      // Clients that named their user in the handshake alone.
      (.poll("A", "a"), .poll(nil, "a"), nil), (.poll(nil, ext: "A"), .poll(nil), nil),
      (.socket(nil, ext: "A"), .socket(nil), nil), (.socket(nil, ext: "A"), .poll("A"), nil),
      (.poll("A"), .poll(nil, ext: "A"), nil),
      (.poll("A", "a"), .poll("B", "a"), "comet_other_user"), (.poll("A", "a"), .socket("B", "a"), "comet_other_user"),
      (.socket("A"), .poll("B"), "comet_other_user"), (.socket("A"), .socket("B"), "comet_other_user"),
      (.poll(nil, ext: "A"), .poll("B"), "comet_other_user"), (.poll("A"), .poll(nil, ext: "B"), "comet_other_user"),
      (.poll("A"), .poll("A", ext: "B"), "comet_other_user"),
      (.socket("A"), .socket(nil, ext: "B"), "comet_other_user"),
      (.poll("A", "a"), .poll("A", "b"), "comet_other_browser"),
      (.poll("A", "a"), .socket("A", "b"), "comet_other_browser"),
      (.poll(nil, "a"), .poll(nil, "b"), "comet_other_browser"),
      (.poll(nil, "a"), .script(nil, "a"), nil), (.script(nil, "a"), .poll(nil, "a"), nil),
      (.poll(nil, "a"), .script(nil, "b"), "comet_other_browser"),
      (.script(nil, "a"), .script(nil, "b"), "comet_other_browser"),
      (.script(nil, "a"), .socket(nil, "b"), "comet_other_browser"),
      (.script(nil, ext: "A"), .script(nil, ext: "B"), "comet_other_user"),
      // A session that is nobody's in particular: its id is all there is.
      (.poll(nil, "a"), .poll("B", "a"), nil), (.socket("A"), .poll("A", "b"), nil),
    ] as [(CometCaller, CometCaller, String?)])
  func others(owner: CometCaller, caller: CometCaller, kind: String?) async throws {
    try await ask(caller, for: owner, isPermitted: kind == nil, kind: kind)
  }

  @Test(
    "where the cookie is required, it is so over a socket too",
    arguments: [
      (.poll("A", "a"), .poll("A", "a"), nil), (.poll("A", "a"), .socket("A", "a"), nil),
      (.poll("A", "a"), .poll("A"), "comet_other_browser"), (.poll("A", "a"), .socket("A"), "comet_other_browser"),
      // Shaken on a socket without a cookie: native apps have none.
      (.socket("A"), .socket("A"), nil), (.socket("A"), .poll("A"), nil), (.socket("A"), .socket("A", "b"), nil),
      (.socket("A"), .poll("A", "b"), "comet_other_browser"),
      (.script("A", "a"), .script("A", "a"), nil), (.script("A", "a"), .script("A"), "comet_other_browser"),
      (.socket("A"), .script("A", "b"), "comet_other_browser"),
    ] as [(CometCaller, CometCaller, String?)])
  func required(owner: CometCaller, caller: CometCaller, kind: String?) async throws {
    try await ask(caller, for: owner, isPermitted: kind == nil, kind: kind) { $0.requiresCookie = true }
  }

  @Test(
    "where users are proven, only the proven one is its user",
    arguments: [
      (.poll("A"), .poll("A"), nil), (.poll("A"), .socket("A"), nil), (.poll(nil), .poll("B"), nil),
      (.poll("A"), .poll("A", ext: "A"), nil),
      (.poll("A"), .poll(nil), "comet_other_user"), (.poll("A"), .socket(nil), "comet_other_user"),
      (.socket("A"), .socket(nil), "comet_other_user"), (.poll("A"), .poll(nil, ext: "A"), "comet_other_user"),
      (.poll("A"), .poll("B"), "comet_other_user"), (.poll("A"), .poll("A", ext: "B"), "comet_other_user"),
    ] as [(CometCaller, CometCaller, String?)])
  func proven(owner: CometCaller, caller: CometCaller, kind: String?) async throws {
    try await ask(caller, for: owner, isPermitted: kind == nil, kind: kind) { $0.requiresProof = true }
  }

  @Test(
    "where users are proven, a handshake names nobody else",
    arguments: [
      (.poll("A"), true), (.poll("A", ext: "A"), true), (.poll(nil), true), (.poll("A", ext: "B"), false),
      (.poll(nil, ext: "A"), false), (.socket("A", ext: "B"), false), (.socket(nil, ext: "A"), false),
    ] as [(CometCaller, Bool)])
  func handshakes(caller: CometCaller, isTaken: Bool) async throws {
    let rig = try await EngineRig(directory: try EngineRig.temporaryDirectory()) { $0.requiresProof = true }
    let reply = try await caller.handshake(rig.engine.comet)
    #expect(reply["successful"]?.bool == isTaken)
    if !isTaken { #expect(reply["error"]?.string == "403:gms_user:not_proven") }
    await rig.stop()
  }

  @Test("a session that the journal remembers is its user's too")
  func restarted() async throws {
    let directory = try EngineRig.temporaryDirectory()
    let before = try await EngineRig(directory: directory)
    let clientID = try #require(try await CometCaller.poll("A", "a").handshake(before.engine.comet)["clientId"]?.string)
    await before.stop()
    let rig = try await EngineRig(directory: directory)
    let comet = rig.engine.comet
    for stranger: CometCaller in [.poll("B", "a"), .poll("A", "b"), .socket("B")] {
      #expect(try await stranger.connect(clientID, comet)["error"]?.string == "402::Unknown client")
    }
    #expect(try await CometCaller.poll("A", "a").connect(clientID, comet)["successful"] == true)
    await rig.stop()
  }
}
