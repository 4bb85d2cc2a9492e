import Foundation
import ProcessControl
import StandInSupport
import Testing

extension ServerFromOutside {
  @Suite("The description of all routes, against the running server", .timeLimit(.minutes(10)))
  struct OpenAPITests {
    /// The document is judged by openapi-spec-validator, the server by schemathesis, which calls every operation with
    /// what the document permits and with what it does not.
    @Test("schemathesis finds no server error and nothing that is not described")
    func conformance() async throws {
      let directory = FileManager.default.temporaryDirectory.appendingPathComponent("carillon-\(UUID().uuidString)")
        .path
      try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
      defer { try? FileManager.default.removeItem(atPath: directory) }
      let log = directory + "/check.txt"
      let check = try ChildProcess.start(
        try ScriptProcess.python(),
        ["-u", ScriptProcess.path("OpenAPI/check_openapi.py"), ServerProcess.executable, "--keep", directory + "/run"],
        environment: ["NO_PROXY": "localhost,127.0.0.1"], log: log)
      let status: Int32
      do {
        status = try await check.status(within: .seconds(540))
      } catch {
        await check.end()
        throw error
      }
      let text = try String(contentsOfFile: log, encoding: .utf8)
      print(text.suffix(4_000))
      #expect(status == 0, "\(text.suffix(20_000))")
    }
  }
}
