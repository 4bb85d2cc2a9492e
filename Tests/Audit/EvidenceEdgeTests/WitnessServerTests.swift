import AsyncHTTPClient
import EdgeSecurity
import EvidenceEdge
import EvidenceSamples
import Foundation
import HTTPKit
import JournalFormat
import Logging
import NIOCore
import NIOHTTP1
import NIOSSL
import ServerKit
import SimulatedDisk
import StandInSupport
import SystemPackage
import Testing
import Transparency

@Suite("A witness over HTTP", .timeLimit(.minutes(1)))
struct WitnessServerTests {
  private static let log = StandInLog(400)
  private static let fork = StandInLog(400, common: 100)

  private struct Answer {
    let status: Int
    let contentType: String
    let body: [UInt8]
    let allow: String?
  }

  /// Runs `body` with a witness on a port of its own, and stops it.
  private func withWitness(
    tls: TLSFiles? = nil, _ body: (_ url: String) async throws -> Void
  ) async throws {
    let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
    let desk = try WitnessDesk(
      StandInLog.cosigner, logs: [StandInLog.signer.verifierKey],
      state: WitnessState("/w", isMade: true, storage: MemoryDisk()), logger: logger,
      unixSeconds: { StandInLog.now }, onFatal: { Issue.record("\($0)") })
    let server = try WitnessServer(desk: desk, settings: HTTPSettings(port: 0, tls: tls), logger: logger)
    try await withThrowingTaskGroup { group in
      group.addTask { try await server.run() }
      try await body("\(tls == nil ? "http" : "https")://127.0.0.1:\(try await server.boundPort)")
      group.cancelAll()
      try await group.waitForAll()
    }
  }

  private func ask(
    _ url: String, _ bytes: [UInt8], method: HTTPMethod = .POST, client: HTTPClient = .shared
  ) async throws -> Answer {
    var request = HTTPClientRequest(url: url)
    request.method = method
    if method == .POST { request.body = .bytes(ByteBuffer(bytes: bytes)) }
    let response = try await client.execute(request, timeout: .seconds(20))
    let body = try await response.body.collect(upTo: 1_048_576)
    return Answer(
      status: Int(response.status.code), contentType: response.headers.first(name: "content-type") ?? "",
      body: Array(body.readableBytesView), allow: response.headers.first(name: "allow"))
  }

  /// Has a checkpoint cosigned as a log does it: by the pure machine, over the wire.
  private func cosign(
    _ url: String, _ log: StandInLog, _ size: UInt64, knownSize: UInt64 = 0
  ) async throws -> CosigningRound.Step {
    let note = try log.note(size)
    var round = CosigningRound(
      note, try LogCheckpoint(text: note.text), witness: StandInLog.cosigner.verifierKey, knownSize: knownSize)
    var step = round.first
    while case .ask(let old) = step {
      let answer = try await ask(
        url + WitnessSite.target, round.request(try log.consistency(old, size)).bytes)
      step = round.received(
        .answered(status: answer.status, contentType: answer.contentType, body: answer.body),
        unixSeconds: StandInLog.now)
    }
    return step
  }

  @Test("a log has its checkpoints cosigned, also when it has forgotten what the witness knows")
  func cosigns() async throws {
    try await withWitness { url in
      for (size, known) in [(100, 0), (300, 100), (400, 0), (400, 400)] as [(UInt64, UInt64)] {
        guard case .cosigned(let signature, let time) = try await cosign(url, Self.log, size, knownSize: known) else {
          Issue.record("\(size) was not cosigned")
          continue
        }
        #expect(time == StandInLog.now)
        var note = try Self.log.note(size)
        try note.add(signature)
        #expect(try StandInLog.policy().judge(note).cosigned.map(\.witness) == ["one"])
      }
    }
  }

  @Test("a fork is refused: two logs with one key that went different ways")
  func forks() async throws {
    try await withWitness { url in
      guard case .cosigned = try await cosign(url, Self.log, 300) else {
        Issue.record("300 was not cosigned")
        return
      }
      #expect(try await cosign(url, Self.fork, 300) == .failed(.fork(size: 300)))
      #expect(try await cosign(url, Self.fork, 400) == .failed(.inconsistent))
      #expect(try await cosign(url, Self.fork, 200) == .failed(.witnessIsAhead(size: 300)))
      guard case .cosigned = try await cosign(url, Self.log, 400) else {
        Issue.record("the log that was first cannot go on")
        return
      }
    }
  }

  @Test("other methods, other targets and bodies that are too large are refused, and nothing is 500")
  func refuses() async throws {
    try await withWitness { url in
      let good = try Self.log.request(0, 10)
      let get = try await ask(url + "/add-checkpoint", [], method: .GET)
      #expect(get.status == 405)
      #expect(get.allow == "POST")
      for method in [HTTPMethod.PUT, .DELETE, .HEAD] {
        #expect(try await ask(url + "/add-checkpoint", [], method: method).status == 405)
      }
      for target in [
        "/", "/checkpoint", "/add-checkpoint/", "/add-checkpoint?x=1", "/../add-checkpoint", "/ADD-CHECKPOINT",
      ] {
        #expect(try await ask(url + target, good).status == 404, "\(target)")
      }
      let huge = [UInt8](repeating: 65, count: EvidenceLimits.addCheckpointByteCountMaximum + 1)
      #expect(try await ask(url + "/add-checkpoint", huge).status == 413)
      #expect(try await ask(url + "/add-checkpoint", Array(huge.dropLast())).status == 400)
      let impostor = NoteSigner(name: StandInLog.signer.verifierKey.name, key: StandInLog.key(3))
      let other = NoteSigner(name: StandInLog.name("other.example.com/main"), key: StandInLog.key(2))
      for (body, status) in [
        ([], 400), (Array("null".utf8), 400), (try Self.log.request(0, 10, by: impostor), 403),
        (try Self.log.request(0, 10, by: other), 404),
      ] as [([UInt8], Int)] {
        #expect(try await ask(url + "/add-checkpoint", body).status == status)
      }
      #expect(try await ask(url + "/add-checkpoint", good).status == 200)
    }
  }

  @Test("many at once are decided one after the other: one tree wins, whatever its rivals' order")
  func together() async throws {
    try await withWitness { url in
      let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
        for number in 0..<16 {
          let body = try (number % 2 == 0 ? Self.log : Self.fork).request(0, 300)
          group.addTask { try await ask(url + "/add-checkpoint", body).status }
        }
        return try await group.reduce(into: [Int]()) { $0.append($1) }
      }
      #expect(statuses.count { $0 == 200 } == 1)
      #expect(statuses.count { $0 == 409 } == 15)
    }
  }

  @Test(
    "with a certificate it speaks TLS alone, to whoever trusts that certificate",
    .enabled(if: StandIn.python != nil))
  func overTLS() async throws {
    let files = try SelfSignedCertificate()
    let tls = TLSFiles(certificateChainPath: files.certificate.path, privateKeyPath: files.key.path)
    try await withWitness(tls: tls) { url in
      let request = try Self.log.request(0, 300)
      await #expect(throws: (any Error).self) { try await ask(url + WitnessSite.target, request) }
      let plain = url.replacing("https://", with: "http://")
      await #expect(throws: (any Error).self) { try await ask(plain + WitnessSite.target, request) }
      var trust = TLSConfiguration.makeClientConfiguration()
      trust.trustRoots = .file(files.certificate.path)
      let client = HTTPClient(
        eventLoopGroupProvider: .singleton, configuration: HTTPClient.Configuration(tlsConfiguration: trust))
      let answer = try await ask(url + WitnessSite.target, request, client: client)
      try await client.shutdown()
      #expect(answer.status == 200)
      let whole = try SignedNote(try Self.log.note(300).bytes + answer.body)
      #expect(try StandInLog.policy().judge(whole).cosigned.map(\.witness) == ["one"])
    }
  }
}
