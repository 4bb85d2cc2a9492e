import Testing

@testable import carillon_torture

@Suite("What hostile scripts tell")
struct HostileScriptTests {
  /// The shell stands in for the server, which is not started.
  private func script() throws -> HostileScript { try HostileScript("malformed", Plan(server: "/bin/sh")) }

  @Test(
    "each violation is one, and a script that has tried nothing is one too",
    arguments: [
      ("{\"count\":3}\n", 3, []), ("", 0, ["malformed has tried nothing"]),
      ("{\"remark\":\"x\"}\n", 0, ["malformed has tried nothing"]),
      ("{\"violation\":\"a\"}\n{\"violation\":\"b\"}\n{\"count\":2}\n", 2, ["a", "b"]),
    ] as [(String, Int, [String])])
  func findings(_ output: String, _ count: Int, _ violations: [String]) throws {
    let result = try script().findings(in: output)
    #expect(result.count == count && result.violations == violations)
  }

  @Test("remarks are kept for the table")
  func remarks() throws {
    let script = try script()
    _ = try script.findings(in: "{\"remark\":\"a\"}\n{\"count\":1}\n{\"remark\":\"b\"}\n")
    #expect(script.remarks.lines == ["a", "b"])
  }

  @Test("without a server there is nothing to hurt", arguments: [nil, "/nowhere"])
  func noServer(_ server: String?) {
    #expect(throws: ScriptViolation.self) { try HostileScript("malformed", Plan(server: server)) }
  }
}
