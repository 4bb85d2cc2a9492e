import Foundation
import ProcessControl
import TestSupport
import Testing

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

extension ServerFromOutside {
  @Suite("A service manager that has started the server", .timeLimit(.minutes(1)))
  struct ServiceManagerTests {
    private static func environment(_ manager: ManagerSocket) -> [String: String] {
      ["NOTIFY_SOCKET": manager.address, "WATCHDOG_USEC": "400000"]
    }

    @Test("is told of the start, of life, of each reload and of the stop")
    func notices() async throws {
      let manager = try ManagerSocket()
      try await ServerProcess.run(starts: false) { server in
        try await server.start(environment: Self.environment(manager))
        let start = try await manager.notices { $0.hasPrefix("READY=1") }
        #expect(start.first?.contains("EXTEND_TIMEOUT_USEC=") == true)
        #expect(start.last?.contains("serves on http://127.0.0.1:\(server.port)") == true)
        #expect(start.dropLast().allSatisfy { !$0.contains("WATCHDOG=1") }, "no life before the start is over")
        #expect(try await server.wire().get("/health/ready").status == 200)
        // Two come from the pulse through the engine: the first only says that the start is over.
        for _ in 1...2 { _ = try await manager.notices { $0 == "WATCHDOG=1" } }
        server.process?.send(signal: SIGHUP)
        let reload = try await manager.notices { $0.hasPrefix("READY=1") }.filter { $0 != "WATCHDOG=1" }
        #expect(reload.count == 2 && reload[0].hasPrefix("RELOADING=1\nMONOTONIC_USEC="))
        try server.configure(["server": ["journal.segment_size": "many"]])
        server.process?.send(signal: SIGHUP)
        let refused = try await manager.notices { $0.hasPrefix("READY=1") }
        #expect(refused.last?.contains("refused") == true)
        #expect(try await server.stop() == 0)
        #expect(try await manager.notices { $0.hasPrefix("STOPPING=1") }.allSatisfy { !$0.hasPrefix("READY=1") })
      }
    }

    @Test("hears nothing from a start that is refused")
    func refused() async throws {
      let manager = try ManagerSocket()
      try await ServerProcess.run(["server": ["port": "http"]], starts: false) { server in
        let result = try await server.command(
          ["serve", "--config", server.configurationFile], environment: Self.environment(manager))
        #expect(result.status == 78)
        #expect(manager.next() == nil)
      }
    }

    @Test("gets lines whose severity its journal understands, and nobody else does")
    func severity() async throws {
      try await ServerProcess.run(starts: false) { server in
        try await server.start()
        #expect(server.log.split(separator: "\n").allSatisfy { $0.hasPrefix("{") })
        _ = try await server.stop()
        let file = server.directory + "/server.log"
        let attributes = try FileManager.default.attributesOfItem(atPath: file)
        let (device, inode) = (
          try #require(attributes[.systemNumber] as? NSNumber),
          try #require(attributes[.systemFileNumber] as? NSNumber)
        )
        let before = server.log.count
        try server.launch(environment: ["JOURNAL_STREAM": "\(device):\(inode)"])
        while !server.log.dropFirst(before).contains("is ready on") { try await Task.sleep(for: .milliseconds(2)) }
        #expect(try await server.stop() == 0)
        let lines = server.log.dropFirst(before).split(separator: "\n")
        #expect(!lines.isEmpty)
        for line in lines {
          let priority = line.contains(#""level":"notice""#) ? 5 : line.contains(#""level":"info""#) ? 6 : 4
          #expect(line.hasPrefix("<\(priority)>{"), "\(line)")
        }
      }
    }
  }
}
