import NIOCore
import NIOHTTP1
import Testing

@testable import HTTPKit

@Suite("HTTP connection's machine, a request")
struct MachineRequestTests {
  private typealias Turn = HTTPConnectionTurn

  private static func opened() -> HTTPConnectionMachine { MachineStage.fresh.machine }

  @Test("without a body: judged, served, answered, and the connection waits for the next one")
  func plain() {
    var machine = HTTPConnectionMachine(limits: MachineStage.limits)
    #expect(machine.received(.opened(isStopping: false)) == Turn(.after(.seconds(10))))
    #expect(machine.received(.part(.head(.get()))) == Turn(.judge(.get())))
    #expect(machine.received(.judged(.welcome)) == Turn(.cleared))
    #expect(machine.received(.part(.end(nil))) == Turn(.cleared, .serve(body: nil)))
    #expect(machine.received(.routes) == Turn(.after(.seconds(60))))
    #expect(machine.isRouting)
    #expect(machine.received(.answers) == Turn(.after(.seconds(30))))
    #expect(machine.received(.written(success: true)) == Turn(.after(.seconds(75)), .forget))
    #expect(machine.next() == nil)
    #expect(machine.received(.part(.head(.get()))) == Turn(.judge(.get())))
  }

  @Test("with a body in parts: it comes whole")
  func body() {
    var machine = Self.opened()
    let head = HTTPRequestHead.post(length: 6)
    #expect(machine.received(.part(.head(head))) == Turn(.judge(head)))
    #expect(machine.announcesMore(than: 5) && !machine.announcesMore(than: 6))
    #expect(machine.received(.judged(.welcome)) == Turn(.after(.seconds(15))))
    for part in ["ab", "cd", "ef"] { #expect(machine.received(.part(.body(ByteBuffer(string: part)))) == .nothing) }
    #expect(machine.received(.part(.end(nil))) == Turn(.cleared, .serve(body: ByteBuffer(string: "abcdef"))))
  }

  @Test("that will be refused: its body is read to keep the connection, and not kept")
  func refusedLater() {
    var machine = Self.opened()
    _ = machine.received(.part(.head(.post(length: 2))))
    #expect(machine.received(.judged(.refused)) == Turn(.after(.seconds(15))))
    #expect(machine.received(.part(.body(ByteBuffer(string: "ab")))) == .nothing)
    #expect(machine.received(.part(.end(nil))) == Turn(.cleared, .serve(body: nil)))
    _ = machine.received(.answers)
    #expect(!machine.closesAfterResponse)
    #expect(machine.received(.written(success: true)).action == .forget)
  }

  @Test("that is refused at once: its rest is drained, so far")
  func refusedAtOnce() {
    var machine = Self.opened()
    _ = machine.received(.part(.head(.post(length: 1_000_000))))
    #expect(machine.received(.refuses) == .nothing)
    #expect(machine.closesAfterResponse)
    #expect(machine.received(.answers) == Turn(.after(.seconds(30))))
    #expect(machine.received(.written(success: true)) == Turn(.after(.seconds(1)), .closeOutput))
    let part = HTTPConnectionInput.part(.body(ByteBuffer(repeating: 0, count: 131_072)))
    #expect(machine.received(part) == .nothing)
    #expect(machine.received(part) == .nothing)
    #expect(machine.received(part) == Turn(.close))
  }

  @Test("whose body grows too large, or has too much beside its content, is refused there")
  func tooLarge() {
    var machine = Self.opened()
    _ = machine.received(.part(.head(.get([("Transfer-Encoding", "chunked")]))))
    _ = machine.received(.judged(.welcome))
    #expect(machine.received(.part(.body(ByteBuffer(repeating: 0, count: 900)))) == .nothing)
    // The head's 32,768 bytes, one read of 8,192, the 900 and the 7 around them.
    #expect(machine.received(.readCompleted(bytesRead: 100 + 32_768 + 8_192 + 907)) == .nothing)
    var other = machine
    #expect(other.received(.readCompleted(bytesRead: 100 + 32_768 + 8_192 + 908)) == Turn(.refuse(.excess)))
    #expect(
      machine.received(.part(.body(ByteBuffer(repeating: 0, count: 101))))
        == Turn(.refuse(.bodyTooLarge(limit: 1_000))))
    for var machine in [machine, other] {
      _ = machine.received(.answers)
      #expect(machine.received(.written(success: true)).action == .closeOutput)
    }
  }

  @Test(
    "whose client waits for leave gets it where the body is welcome",
    arguments: [
      ("100-continue", 2, false, HTTPConnectionTurn(.after(.seconds(15)), .writeContinue)),
      ("100-Continue", 2, false, HTTPConnectionTurn(.after(.seconds(15)), .writeContinue)),
      ("100-continue", 0, false, HTTPConnectionTurn(.cleared)),
      ("100-continue", 2, true, HTTPConnectionTurn(.refuse(.asJudged))),
      ("100-continue", 0, true, HTTPConnectionTurn(.refuse(.asJudged))),
      ("miracles", 2, false, HTTPConnectionTurn(.refuse(.unknownExpectation))),
      ("miracles", 2, true, HTTPConnectionTurn(.refuse(.unknownExpectation))),
    ] as [(String, Int, Bool, HTTPConnectionTurn)])
  func expectation(_ value: String, _ length: Int, _ isRefused: Bool, _ turn: HTTPConnectionTurn) {
    var machine = Self.opened()
    _ = machine.received(.part(.head(.post(length: length, [("Expect", value)]))))
    #expect(machine.received(.judged(isRefused ? .refused : .welcome)) == turn)
    if case .refuse = turn.action { #expect(machine.closesAfterResponse) }
  }

  @Test(
    "after which the connection ends, because its head says so",
    arguments: [
      (HTTPRequestHead.get([("Connection", "close")]), true), (.get(version: .http1_0), true),
      (.get([("Connection", "keep-alive")], version: .http1_0), true), (.get([("Upgrade", "websocket")]), true),
      (HTTPRequestHead(version: .http1_1, method: .CONNECT, uri: "x:1", headers: ["Host": "x"]), true),
      (.get([("Connection", "keep-alive")]), false), (.get(), false),
    ] as [(HTTPRequestHead, Bool)])
  func lastRequest(_ head: HTTPRequestHead, _ isLast: Bool) {
    var machine = Self.opened()
    for input in [HTTPConnectionInput.part(.head(head)), .judged(.welcome), .part(.end(nil)), .routes, .answers] {
      _ = machine.received(input)
    }
    #expect(machine.closesAfterResponse == isLast)
    #expect(machine.received(.written(success: true)).action == (isLast ? .close : .forget))
  }

  @Test("HEAD is remembered for as long as its answer takes")
  func headMethod() {
    var machine = Self.opened()
    let head = HTTPRequestHead(version: .http1_1, method: .HEAD, uri: "/", headers: ["Host": "x"])
    for input in [HTTPConnectionInput.part(.head(head)), .judged(.welcome), .part(.end(nil)), .routes, .answers] {
      _ = machine.received(input)
    }
    #expect(machine.isHead)
    _ = machine.received(.written(success: true))
    #expect(!machine.isHead)
  }

  @Test(
    "a response in parts is chunked unless its length is known or the client is too old",
    arguments: [(HTTPVersion.http1_1, false, true), (.http1_1, true, false), (.http1_0, false, false)])
  func chunked(_ version: HTTPVersion, _ hasLength: Bool, _ isChunked: Bool) {
    var machine = Self.opened()
    let inputs: [HTTPConnectionInput] = [
      .part(.head(.get(version: version))), .judged(.welcome), .part(.end(nil)), .routes,
      .streams(hasLength: hasLength, isEventStream: false),
    ]
    for input in inputs { _ = machine.received(input) }
    #expect(machine.stream?.isChunked == isChunked)
  }
}
