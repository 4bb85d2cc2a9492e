import ChatDomain
import EntityRuntime
import EventSourcing
import Foundation
import JSONEnvelope
import ScriptedClients
import Synchronization
import SystemPackage
import Testing

@testable import ChatEngine
@testable import Engine
@testable import EngineRigs
@testable import FileEngine
@testable import StorageEngine

@Suite("Files in chats, kept", .timeLimit(.minutes(1)))
struct FileServiceTests {
  private static let marked = Array("%PDF-1.7 SECRET-BILL".utf8)
  private static let ann = ChatCaller.customer(userKey: "ann")
  private static let k = AgentViewer(id: "k")

  private static func upload(
    _ name: String = "bill.pdf", _ bytes: [UInt8] = marked, type: String? = "application/pdf"
  ) -> FileUpload { FileUpload(name: name, contentType: type, bytes: bytes) }

  /// A chat of Ann's with Agent K in it.
  private func chat(_ rig: EngineRig, pushTo device: String? = nil) async throws -> (service: String, chat: String) {
    let service = try await rig.startChat(user: "ann", pushTo: device)
    let chat = try await rig.chatID(service)
    _ = try await rig.engine.agents.join(chat, agentID: "k", nickname: "Agent K", role: .agent)
    return (service, chat)
  }

  private func send(
    _ rig: EngineRig, _ service: String, _ upload: FileUpload = upload()
  ) async throws -> PostedFile {
    try await rig.engine.files.send(upload, in: service, by: Self.ann, from: nil) { "https://a.test/\($0)" }
  }

  /// The files that lie there.
  private func blobs(_ directory: FilePath) -> Int {
    let files = FileManager.default.enumerator(atPath: directory.appending("blobs").string)
    var count = 0
    while let name = files?.nextObject() as? String { if name.utf8.count > 2 { count += 1 } }
    return count
  }

  private func waitUntil(_ condition: () async -> Bool) async {
    while !Task.isCancelled, await !condition() { await Task.yield() }
  }

  @Test(
    "a customer's and an agent's are kept and named in the chat, for both of them and nobody else, also after a restart"
  )
  func life() async throws {
    let directory = try EngineRig.temporaryDirectory()
    let rig = try await EngineRig(directory: directory)
    let (service, chat) = try await chat(rig)
    let bill = try await send(rig, service)
    #expect(bill.position == 3 && bill.file.name == "bill.pdf" && bill.file.byteCount == Self.marked.count)
    #expect(bill.file.url == "https://a.test/\(bill.file.id)" && bill.file.contentType == "application/pdf")
    let photo = try await rig.engine.files.send(
      Self.upload("../p.png", FileTypeTests.png, type: nil), inChat: chat, for: Self.k
    ) { "https://a.test/\($0)/\($1)" }
    #expect(photo.position == 4 && photo.file.name == "p.png" && photo.file.contentType == "image/png")
    #expect(photo.file.url == "https://a.test/\(service)/\(photo.file.id)")
    #expect(
      try await rig.engine.chats.refresh(service, after: 2, message: nil, by: Self.ann).events.map(\.file)
        == [bill.file, photo.file])
    await rig.stop()

    let next = try await EngineRig(directory: directory)
    let files = next.engine.files
    #expect(try await files.file(bill.file.id, in: service, for: Self.ann).bytes == Self.marked)
    #expect(try await files.file(photo.file.id, inChat: chat, for: Self.k).bytes == FileTypeTests.png)
    #expect(try await files.file(photo.file.id, in: service, for: .house).file == photo.file)
    let gone = FileFailure.chat(.chat(.unknownService))
    await #expect(throws: gone) { try await files.file(bill.file.id, in: service, for: .customer(userKey: "ben")) }
    await #expect(throws: gone) { try await files.file(bill.file.id, in: service, for: .customer(userKey: nil)) }
    await #expect(throws: gone) { try await files.file(bill.file.id, inChat: chat, for: AgentViewer(id: "l")) }
    await #expect(throws: gone) { try await files.file(bill.file.id, in: "1-none", for: Self.ann) }
    await #expect(throws: FileFailure.unknown) { try await files.file("none", in: service, for: Self.ann) }
    // Not by another chat, and not by what apps store under.
    let other = try await self.chat(next)
    await #expect(throws: FileFailure.unknown) { try await files.file(bill.file.id, in: other.service, for: Self.ann) }
    for user in [nil, "ann", service] {
      await #expect(throws: StorageFailure.unknown) {
        try await next.engine.storage.values(.id(bill.file.id, user: user))
      }
      await #expect(throws: StorageFailure.unknown) {
        try await next.engine.storage.delete(.id(bill.file.id, user: user))
      }
    }
    await next.stop()
  }

  @Test("what the chat would not take is not kept, nor what it does not take in the end")
  func refused() async throws {
    let directory = try EngineRig.temporaryDirectory()
    let rig = try await EngineRig(directory: directory)
    let (service, chat) = try await chat(rig)
    let files = rig.engine.files
    await #expect(throws: FileFailure.mismatch(declared: "image/png", found: "application/pdf")) {
      try await send(rig, service, Self.upload(type: "image/png"))
    }
    await #expect(throws: FileFailure.invalid(field: "name", reason: "is longer than 255 bytes")) {
      try await send(rig, service, Self.upload(String(repeating: "x", count: 300)))
    }
    await #expect(throws: FileFailure.chat(.chat(.empty(field: "file")))) {
      try await send(rig, service, Self.upload("a", [], type: nil))
    }
    await #expect(throws: FileFailure.chat(.chat(.unknownService))) {
      try await files.send(Self.upload(), in: service, by: .customer(userKey: "ben"), from: nil) { $0 }
    }
    await #expect(throws: FileFailure.chat(.chat(.unknownService))) {
      try await files.send(Self.upload(), inChat: chat, for: AgentViewer(id: "l")) { $1 }
    }
    await #expect(throws: FileFailure.chat(.chat(.notJoined))) {
      try await files.send(Self.upload(), inChat: chat, for: .overseer) { $1 }
    }
    _ = try await rig.engine.agents.close(chat, agentID: "k")
    await #expect(throws: FileFailure.chat(.chat(.ended))) { try await send(rig, service) }
    #expect(blobs(directory) == 0 && rig.engine.storage.directory.count == 0)
    await rig.stop()
  }

  @Test("it lives as long as its chat, which may be over; what no chat names goes within the hour")
  func lifeTime() async throws {
    let rig = try await DeviceRig(sections: ["service.request-chat": ["_ttl": "86400"]])
    let (service, chat) = try await chat(rig.rig)
    let bill = try await send(rig.rig, service).file
    let orphan = try await rig.engine.storage.keepFile(
      Array("lost".utf8), contentType: "text/plain", ofChat: service, from: nil)
    _ = try await rig.engine.agents.close(chat, agentID: "k")
    try await rig.advance(by: .seconds(3_601))
    await waitUntil { rig.engine.storage.directory[orphan] == nil }
    await waitUntil { blobs(rig.directory) == 1 }
    #expect(try await rig.engine.files.file(bill.id, inChat: chat, for: Self.k).bytes == Self.marked)
    // Its chat is gone a day after its last use, the file with its next look behind that.
    for _ in 0..<4 { try await rig.advance(by: .seconds(43_201)) }
    await #expect(throws: FileFailure.chat(.chat(.unknownService))) {
      try await rig.engine.files.file(bill.id, in: service, for: Self.ann)
    }
    await waitUntil { blobs(rig.directory) == 0 }
    #expect(rig.engine.storage.directory.count == 0)
    try await rig.stop()
  }

  @Test("erasure of its customer reaches what it is called and what is in it")
  func erased() async throws {
    let directory = try EngineRig.temporaryDirectory()
    let rig = try await EngineRig(directory: directory)
    let (service, chat) = try await chat(rig)
    let bill = try await send(rig, service, Self.upload("SECRET-name.pdf")).file
    _ = try await rig.engine.files.send(Self.upload("SECRET-2.pdf"), inChat: chat, for: Self.k) {
      "https://a.test/\($1)"
    }
    try await rig.engine.snapshotNow()
    _ = try await rig.engine.redactions.redact(subject: "ann", by: "operator", reason: "Art. 17 GDPR")
    await #expect(throws: FileFailure.unknown) { try await rig.engine.files.file(bill.id, inChat: chat, for: Self.k) }
    #expect(blobs(directory) == 0)
    let lines = try await rig.engine.agents.transcript(chat, after: 2, for: Self.k).lines
    #expect(lines.map(\.content.type) == [.file, .file] && lines.allSatisfy { $0.content.file == nil })
    await rig.stop()
    let files = FileManager.default.enumerator(atPath: directory.string)
    while let name = files?.nextObject() as? String {
      let data = FileManager.default.contents(atPath: directory.appending(name).string) ?? Data()
      #expect(data.range(of: Data("SECRET".utf8)) == nil, "\(name)")
    }
    let next = try await EngineRig(directory: directory)
    #expect(try await next.engine.agents.transcript(chat, after: 2, for: Self.k).lines.count == 2)
    await next.stop()
  }

  @Test("an agent's is pushed to a customer who is away")
  func pushed() async throws {
    let rig = try await EngineRig(directory: try EngineRig.temporaryDirectory())
    let (service, chat) = try await chat(rig, pushTo: "d")
    let app = ScriptedClient(rig, user: "ann")
    _ = try await app.comeOnline()
    _ = try await app.disconnect(position: 2)
    let bill = try await rig.engine.files.send(Self.upload(), inChat: chat, for: Self.k) { "https://a.test/\($1)" }
    let push = try await rig.courier.next()
    #expect(push["lastTranscript"]?[0]?["Notice.PushUrl"]?.string == bill.file.url)
    #expect(push["serviceId"]?.string == service)
    await rig.stop()
  }
}

@Suite("Files in chats, scanned", .timeLimit(.minutes(1)))
struct FileScanTests {
  /// Says of all files the same, or nothing until it is told to.
  private final class ScriptedScanner: FileScanner {
    let verdict: ScanVerdict
    let isPatient: Bool
    let seen = Mutex<[(command: [String], limit: Duration)]>([])
    private let waiting = Mutex<[CheckedContinuation<Void, Never>]>([])

    init(_ verdict: ScanVerdict, isPatient: Bool = false) {
      self.verdict = verdict
      self.isPatient = isPatient
    }

    func verdict(on bytes: [UInt8], by command: [String], within limit: Duration) async -> ScanVerdict {
      seen.withLock { $0.append((command, limit)) }
      if isPatient { await withCheckedContinuation { next in waiting.withLock { $0.append(next) } } }
      return verdict
    }

    /// Lets go of all of them, once there are so many.
    func release(_ count: Int) async {
      while !Task.isCancelled, waiting.withLock({ $0.count }) < count { await Task.yield() }
      for next in waiting.withLock({ waiting in
        defer { waiting = [] }
        return waiting
      }) { next.resume() }
    }
  }

  private func run(
    _ scanner: ScriptedScanner?, command: String = "/bin/scan,--quiet", atOnce: Int = 8,
    _ body: (EngineRig, String) async throws -> Void
  ) async throws {
    let rig = try await EngineRig(
      directory: try EngineRig.temporaryDirectory(),
      sections: [
        "server": ["files.scan_command": command, "files.scan_seconds": "7", "files.scans_at_once": "\(atOnce)"]
      ]
    ) { $0.fileScanner = scanner }
    try await body(rig, try await rig.startChat(user: "ann"))
    await rig.stop()
  }

  private func send(_ rig: EngineRig, _ service: String) async throws -> PostedFile {
    try await rig.engine.files.send(
      FileUpload(name: "a.txt", contentType: "text/plain", bytes: [1]), in: service, by: .customer(userKey: "ann"),
      from: nil
    ) { $0 }
  }

  @Test(
    "what is clean is taken, what is refused or not known is not kept",
    arguments: [
      (.clean, nil), (.refused, .refused), (.undecided("it broke"), .notScanned),
    ] as [(ScanVerdict, FileFailure?)])
  func verdicts(verdict: ScanVerdict, failure: FileFailure?) async throws {
    let scanner = ScriptedScanner(verdict)
    try await run(scanner) { rig, service in
      do {
        _ = try await send(rig, service)
        #expect(failure == nil)
      } catch let error as FileFailure {
        #expect(error == failure)
        #expect(rig.engine.storage.directory.count == 0)
      }
      let position = try await rig.engine.chats.refresh(service, after: 0, message: nil, by: .house).position
      #expect(position == (failure == nil ? 2 : 1))
    }
    let seen = try #require(scanner.seen.withLock { $0.first })
    #expect(seen.command == ["/bin/scan", "--quiet"] && seen.limit == .seconds(7))
  }

  @Test("a command that nobody can run takes no file; no command needs nobody")
  func nobody() async throws {
    try await run(nil) { rig, service in
      await #expect(throws: FileFailure.notScanned) { try await send(rig, service) }
    }
    let scanner = ScriptedScanner(.refused)
    try await run(scanner, command: "") { rig, service in
      let sent = try await send(rig, service)
      #expect(sent.position == 2)
    }
    #expect(scanner.seen.withLock { $0.isEmpty })
  }

  @Test("one scan more than there may be is refused at once, and nothing that the chat would refuse is scanned")
  func atOnce() async throws {
    let scanner = ScriptedScanner(.clean, isPatient: true)
    try await run(scanner, atOnce: 2) { rig, service in
      let positions = try await withThrowingTaskGroup(of: Int.self) { group in
        for _ in 0..<2 { group.addTask { try await send(rig, service).position } }
        while !Task.isCancelled, scanner.seen.withLock({ $0.count }) < 2 { await Task.yield() }
        await #expect(throws: FileFailure.notScanned) { try await send(rig, service) }
        await scanner.release(2)
        return try await group.reduce(into: Set<Int>()) { $0.insert($1) }
      }
      #expect(positions == [2, 3])
      _ = try await rig.engine.chats.disconnect(service, by: .house)
      await #expect(throws: FileFailure.chat(.chat(.ended))) { try await send(rig, service) }
      #expect(scanner.seen.withLock { $0.count } == 2)
    }
  }
}
