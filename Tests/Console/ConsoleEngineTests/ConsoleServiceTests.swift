import EngineKit
import EntityRuntime
import EventSourcing
import Testing

@testable import ConsoleEngine
@testable import Engine
@testable import EngineRigs

@Suite("Who is signed in to the console", .timeLimit(.minutes(1)))
struct ConsoleServiceTests {
  private static let options = [
    "server": [
      "console.session_idle_seconds": "600", "console.session_seconds": "3600", "console.sessions_by_token": "2",
      "console.sessions": "3",
    ]
  ]

  private func open(_ rig: DeviceRig, _ key: String, token: String = "t") async throws {
    let view = try await rig.engine.console.open(key, tokenID: token, name: "anna", role: "agent")
    #expect(view.id == key && view.terms.tokenID == token)
  }

  private func tokens(_ rig: DeviceRig, _ keys: String...) -> [String?] {
    keys.map { rig.engine.console.tokenID(of: $0) }
  }

  @Test("a session that nobody uses ends after its idle time, and one that is used does not")
  func idle() async throws {
    let rig = try await DeviceRig(sections: Self.options)
    try await open(rig, "a")
    try await open(rig, "b")
    for _ in 0..<3 {
      try await rig.advance(by: .seconds(250))
      rig.engine.console.used("a")
    }
    #expect(tokens(rig, "a", "b") == ["t", nil])
    #expect(!rig.engine.console.directory.contains("b"), "its timer has ended it")
    try await rig.advance(by: .seconds(599))
    #expect(tokens(rig, "a") == ["t"])
    try await rig.advance(by: .seconds(2))
    #expect(tokens(rig, "a") == [nil] && !rig.engine.console.directory.contains("a"))
    try await rig.stop()
  }

  @Test("a session ends after the longest time that one lasts, however much it is used")
  func absolute() async throws {
    let rig = try await DeviceRig(sections: Self.options)
    try await open(rig, "a")
    for _ in 0..<11 {
      try await rig.advance(by: .seconds(300))
      rig.engine.console.used("a")
    }
    #expect(tokens(rig, "a") == ["t"])
    try await rig.advance(by: .seconds(301))
    #expect(tokens(rig, "a") == [nil] && !rig.engine.console.directory.contains("a"))
    try await rig.stop()
  }

  @Test("no session is good past its end, also before its timer has fired")
  func lateTimer() async throws {
    let rig = try await DeviceRig(sections: Self.options)
    try await open(rig, "a")
    rig.time.advance(by: .seconds(600))
    #expect(tokens(rig, "a") == [nil] && rig.engine.console.open().isEmpty && rig.engine.console.view("a") == nil)
    // Nor does asking wake it again.
    rig.engine.console.used("a")
    #expect(tokens(rig, "a") == [nil])
    try await rig.stop()
  }

  @Test("a kill leaves open sessions open, and those that have ended over", arguments: [false, true])
  func restart(withSnapshot: Bool) async throws {
    let rig = try await DeviceRig(sections: Self.options)
    try await open(rig, "a")
    try await open(rig, "b", token: "u")
    try await rig.advance(by: .seconds(400))
    rig.engine.console.used("a")
    try await rig.settle()
    #expect(try await rig.engine.console.end("b", .signedOut))
    if withSnapshot {
      await rig.engine.putIdleToSleep(unusedFor: 0)
      try await rig.engine.snapshotNow()
    }
    await rig.kill()

    let next = try await rig.restarted()
    #expect(tokens(next, "a", "b") == ["t", nil])
    let view = try #require(next.engine.console.view("a"))
    #expect(view.openedAt == DeviceRig.start && view.seenAt == DeviceRig.start.advanced(by: .seconds(400)))
    #expect(view.addresses.isEmpty && view.userAgent == nil, "the journal knows no addresses")
    try await next.advance(by: .seconds(601))
    #expect(tokens(next, "a") == [nil])
    // One that sleeps has been woken by its deadline, and has its alarm only since then.
    try await next.advance(by: .seconds(1))
    #expect(!next.engine.console.directory.contains("a"))
    try await next.stop()
  }

  @Test("with one session more than a token may have, the one used least lately ends")
  func displacement() async throws {
    let rig = try await DeviceRig(sections: Self.options)
    for key in ["a", "b"] {
      try await open(rig, key)
      try await rig.advance(by: .seconds(1))
    }
    rig.engine.console.used("a")
    try await rig.advance(by: .seconds(1))
    try await open(rig, "c")
    #expect(tokens(rig, "a", "b", "c") == ["t", nil, "t"])
    // Another token's are not in the way.
    try await open(rig, "d", token: "u")
    #expect(tokens(rig, "a", "c", "d") == ["t", "t", "u"])
    try await rig.stop()
  }

  @Test("beyond all sessions that there may be nobody is signed in, and nothing is left of it")
  func limit() async throws {
    let rig = try await DeviceRig(sections: Self.options)
    for key in ["a", "b", "c"] { try await open(rig, key, token: key) }
    await #expect(throws: EngineError.limitReached("sessions of the console")) { try await open(rig, "d", token: "d") }
    #expect(!rig.engine.console.directory.contains("d"))
    #expect(try await rig.engine.console.end("a", .revoked(by: "ops")))
    try await open(rig, "d", token: "d")
    try await rig.stop()
  }

  @Test("ends once, and not at all if it is none")
  func ends() async throws {
    let rig = try await DeviceRig(sections: Self.options)
    try await open(rig, "a")
    #expect(try await rig.engine.console.end("a", .signedOut))
    #expect(try await !rig.engine.console.end("a", .signedOut))
    #expect(try await !rig.engine.console.end("z", .signedOut))
    try await rig.stop()
  }

  @Test("a session whose token is gone opens nothing at once, and says why it ended")
  func orphan() async throws {
    let rig = try await DeviceRig(sections: Self.options)
    try await open(rig, "a")
    rig.engine.console.orphaned("a")
    #expect(tokens(rig, "a") == [nil])
    try await rig.settle()
    #expect(!rig.engine.console.directory.contains("a"))
    await rig.kill()
    let next = try await rig.restarted()
    #expect(tokens(next, "a") == [nil])
    try await next.stop()
  }

  /// One session of somebody whom a provider has vouched for.
  private func open(_ rig: DeviceRig, _ key: String, person: ConsolePerson) async throws {
    _ = try await rig.engine.console.open(
      key, tokenID: "openid:\(person.subject)", name: person.subject, role: "agent", person: person)
  }

  private static func options(issuer: String?) -> [String: [String: String]] {
    options.mapValues { section in
      var section = section
      section["console.openid.issuer"] = issuer
      return section
    }
  }

  @Test("whom a provider has vouched for outlives a restart as they are, each once", arguments: [false, true])
  func people(withSnapshot: Bool) async throws {
    let rig = try await DeviceRig(sections: Self.options(issuer: "https://id.test"))
    let anna = ConsolePerson(issuer: "https://id.test", subject: "anna", services: ["a", "b"])
    try await open(rig, "a", person: anna)
    try await open(rig, "b", person: anna)
    try await open(rig, "c")
    if withSnapshot {
      await rig.engine.putIdleToSleep(unusedFor: 0)
      try await rig.engine.snapshotNow()
    }
    await rig.kill()
    let next = try await rig.restarted()
    next.engine.options.replace(Options(sections: Self.options(issuer: "https://id.test")))
    #expect(next.engine.console.view("a")?.terms.person == anna && next.engine.console.view("c")?.terms.person == nil)
    #expect(next.engine.console.openOfPeople().map(\.terms.name) == ["anna"])
    try await next.stop()
  }

  @Test("no session outlives the provider that has vouched for it", arguments: [nil, "https://other.test"])
  func removedProvider(issuer: String?) async throws {
    let rig = try await DeviceRig(sections: Self.options(issuer: "https://id.test"))
    try await open(rig, "a", person: ConsolePerson(issuer: "https://id.test", subject: "anna"))
    try await open(rig, "b")
    rig.engine.options.replace(Options(sections: Self.options(issuer: issuer)))
    #expect(rig.engine.console.open().map(\.id) == ["b"] && rig.engine.console.openOfPeople().isEmpty)
    #expect(rig.engine.console.view("a") == nil && tokens(rig, "a", "b") == [nil, "t"])
    try await rig.settle()
    #expect(!rig.engine.console.directory.contains("a"), "it has ended, and is not back with the provider")
    try await rig.stop()
  }

  @Test("the last places that it is used from are known, each once")
  func visits() async throws {
    let rig = try await DeviceRig(sections: Self.options)
    try await open(rig, "a")
    for number in 1...10 { rig.engine.console.visited("a", from: "192.0.2.\(number)", userAgent: "Browser") }
    rig.engine.console.visited("a", from: "192.0.2.5", userAgent: "Other")
    let view = try #require(rig.engine.console.view("a"))
    #expect(view.addresses == [3, 4, 6, 7, 8, 9, 10, 5].map { "192.0.2.\($0)" } && view.userAgent == "Other")
    try await rig.stop()
  }
}

@Suite("Where the console's pages may lie")
struct ConsolePathTests {
  @Test("a path of their own", arguments: ["/console", "/desk", "/support-desk/v2", "/a.b_c", "/console/2"])
  func good(path: String) { #expect(ConsolePath.flaw(path) == nil) }

  @Test(
    "no path of others, and none that is no path",
    arguments: [
      "", "/", "desk", "/desk/", "//", "/desk//x", "/.", "/a/../b", "/d esk", "/dé", "/desk?x", "/desk#x", "/{x}", "/*",
      "/agent", "/agent/console", "/admin", "/API", "/openapi.json", "/metrics", "/genesys/console", "/console/1",
      "/console/1/x", "/" + String(repeating: "x", count: 128),
    ])
  func bad(path: String) { #expect(ConsolePath.flaw(path) != nil) }
}
