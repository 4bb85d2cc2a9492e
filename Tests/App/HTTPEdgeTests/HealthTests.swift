import Engine
import SimulatedDisk
import TestSupport
import Testing

@testable import HTTPEdge

@Suite("Health", .timeLimit(.minutes(1)))
struct HealthTests {
  @Test("a full disk is told of until there is room again")
  func fullDisk() async throws {
    let disk = MemoryDisk()
    disk.capacity = 3 * 1_048_576
    try await ServerHarness.run(storage: disk) { server in
      let client = try await server.connect()
      func status() async throws -> (Int, String) {
        try await client.get("/health/ready")
        let response = try await client.response()
        return (response.status, response.body)
      }
      #expect(try await status().0 == 200)
      // Full in so many steps: a segment is a mebibyte, and these do not compress.
      var generator = SeededGenerator(seed: 1)
      while !server.engine.isStorageFull {
        let notes = (0..<8).map { field in
          let words = (0..<500).map { _ in String(UInt64.random(in: 0...UInt64.max, using: &generator), radix: 16) }
          return #""note \#(field)":"\#(words.joined())""#
        }
        try await client.post("/genesys/1/service/request-chat", "{\(notes.joined(separator: ","))}")
        let made = try await client.response()
        try #require(made.status == 200 || made.status == 507, "\(made.body)")
      }
      let full = try await status()
      #expect(full.0 == 507)
      #expect(full.1.contains("full"), "\(full.1)")
      disk.capacity = .max
      while server.engine.isStorageFull { try await Task.sleep(for: .milliseconds(20)) }
      #expect(try await status().0 == 200)
    }
  }
}
