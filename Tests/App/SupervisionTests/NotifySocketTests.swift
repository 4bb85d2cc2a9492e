import Foundation
import TestSupport
import Testing

@testable import Supervision

@Suite("The socket of a service manager")
struct NotifySocketTests {
  @Test("takes what is sent in one datagram, by a path or by a name in no directory", arguments: [false, true])
  func datagram(isAbstract: Bool) throws {
    let manager = try ManagerSocket(isAbstract: isAbstract)
    let socket = try #require(NotifySocket(environment: ["NOTIFY_SOCKET": manager.address]))
    #expect(socket.send([.reloading(monotonicMicroseconds: 5), .status("two\nlines"), .extendTimeout(.seconds(90))]))
    #expect(manager.next() == "RELOADING=1\nMONOTONIC_USEC=5\nSTATUS=two lines\nEXTEND_TIMEOUT_USEC=90000000")
    #expect(socket.send([]))
    #expect(manager.next() == nil)
  }

  @Test("that is gone is no reason to fail, nor to wait")
  func gone() throws {
    var manager: ManagerSocket? = try ManagerSocket()
    let socket = try #require(NotifySocket(environment: ["NOTIFY_SOCKET": manager?.address ?? ""]))
    manager = nil
    #expect(!socket.send([.ready]))
  }

  @Test("that does not read is not waited for")
  func full() throws {
    let manager = try ManagerSocket()
    let socket = try #require(NotifySocket(environment: ["NOTIFY_SOCKET": manager.address]))
    // More than any queue of datagrams holds.
    #expect((1...100_000).contains { _ in !socket.send([.watchdog]) })
  }

  @Test(
    "is none without an address, or with one of another kind",
    arguments: [
      nil, "", "/", "@", "run/notify", "vsock:2:1234", "/" + String(repeating: "a", count: 108), "/run/\0/notify",
    ])
  func address(_ address: String?) {
    #expect(NotifySocket(environment: address.map { ["NOTIFY_SOCKET": $0] } ?? [:]) == nil)
  }
}

@Suite("A process that a service manager has started")
struct SupervisorTests {
  private static let nowhere = StartProgress(segmentsRead: 0, segmentCount: 0, records: 0)

  @Test("tells of start, life, reload and stop in this order", .timeLimit(.minutes(1)))
  func life() async throws {
    let manager = try ManagerSocket()
    let supervisor = Supervisor(environment: ["NOTIFY_SOCKET": manager.address, "WATCHDOG_USEC": "20000"])
    try await supervisor.watch(progress: { Self.nowhere }, pulse: { $0() }) {
      let start = try await manager.notices { $0.contains("opening the journal") }
      #expect(start.count == 1 && start[0].contains("EXTEND_TIMEOUT_USEC="))
      supervisor.becameReady("serves")
      let ready = try await manager.notices { $0 == "WATCHDOG=1" }
      #expect(ready.first == "READY=1\nSTATUS=serves\nWATCHDOG=1")
      supervisor.reloads()
      supervisor.reloaded(refused: false)
      let reload = try await manager.notices { $0.hasPrefix("READY=1") }.filter { $0 != "WATCHDOG=1" }
      #expect(reload.count == 2)
      #expect(reload[0].contains(/^RELOADING=1\nMONOTONIC_USEC=[1-9][0-9]*\n/))
    }
    let end = try await manager.notices { $0.hasPrefix("STOPPING=1") }.filter { $0 != "WATCHDOG=1" }
    #expect(end.count == 1)
  }

  @Test("gives no sign of life while its engine does not answer, and one again once it does", .timeLimit(.minutes(1)))
  func standstill() async throws {
    let manager = try ManagerSocket()
    let supervisor = Supervisor(environment: ["NOTIFY_SOCKET": manager.address, "WATCHDOG_USEC": "20000"])
    let (asked, asking) = AsyncStream.makeStream(of: (@Sendable () -> Void).self)
    try await supervisor.watch(progress: { Self.nowhere }, pulse: { asking.yield($0) }) {
      supervisor.becameReady("serves")
      var questions = asked.makeAsyncIterator()
      let answer = try #require(await questions.next())
      _ = try await manager.notices { $0.contains("READY=1") }
      // Ten times as long as a sign would take; one that was on its way when the question came is taken out first.
      _ = manager.next()
      try await Task.sleep(for: .milliseconds(100))
      #expect(manager.next() == nil)
      answer()
      #expect(try await manager.notices { _ in true } == ["WATCHDOG=1"])
    }
  }

  @Test("without a manager runs what it is to run, and asks nobody")
  func alone() async {
    let supervisor = Supervisor(environment: ["WATCHDOG_USEC": "20000"])
    let value = await supervisor.watch(
      progress: { Self.nowhere }, pulse: { _ in Issue.record("nobody wants to know") }
    ) { () -> Int in
      supervisor.becameReady("serves")
      return 5
    }
    #expect(value == 5)
  }

  @Test("writes to systemd's journal only if that is where its stream goes")
  func journalStream() throws {
    let file = FileManager.default.temporaryDirectory.appending(path: "carillon-\(UUID().uuidString)")
    try Data().write(to: file)
    defer { try? FileManager.default.removeItem(at: file) }
    let handle = try FileHandle(forWritingTo: file)
    defer { try? handle.close() }
    let attributes = try FileManager.default.attributesOfItem(atPath: file.path)
    let (device, inode) = (
      try #require(attributes[.systemNumber] as? NSNumber), try #require(attributes[.systemFileNumber] as? NSNumber)
    )
    let rows: [(String?, Bool)] = [
      ("\(device):\(inode)", true), ("\(device):\(inode.intValue + 1)", false), ("\(inode)", false), ("", false),
      (nil, false),
    ]
    for (stream, isConnected) in rows {
      #expect(
        JournalStream.isConnected(
          to: handle.fileDescriptor, environment: stream.map { ["JOURNAL_STREAM": $0] } ?? [:]) == isConnected,
        "\(stream ?? "absent")")
    }
  }
}
