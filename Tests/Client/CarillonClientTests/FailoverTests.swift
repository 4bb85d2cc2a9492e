import Bayeux
import NIOCore
import NIOHTTP1
import NIOPosix
import Synchronization
import Testing

@testable import CarillonClient

@Suite("Several servers of one client", .timeLimit(.minutes(1)))
struct FailoverTests {
  private static let addresses = [
    ServerAddress(host: "127.0.0.1", port: 1), ServerAddress(host: "127.0.0.1", port: 2),
  ]
  private static func servers() -> ServerList { ServerList(addresses[0], alternatives: [addresses[1]]) }

  @Test(
    "one that has done nothing is followed by the next at once; after anything else the caller decides",
    arguments: [
      ServerTurns(outcomes: [nil], asked: [0], error: nil, inUse: 0),
      ServerTurns(outcomes: [.gone, nil], asked: [0, 1], error: nil, inUse: 1),
      ServerTurns(outcomes: [.notReady, nil], asked: [0, 1], error: nil, inUse: 1),
      ServerTurns(outcomes: [.busy, nil], asked: [0, 1], error: nil, inUse: 1),
      // Perhaps it was done.
      ServerTurns(outcomes: [.connectionClosed], asked: [0], error: .connectionClosed, inUse: 1),
      ServerTurns(outcomes: [.timedOut], asked: [0], error: .timedOut, inUse: 1),
      ServerTurns(outcomes: [.gone, .connectionClosed], asked: [0, 1], error: .connectionClosed, inUse: 0),
      // It serves, and says no.
      ServerTurns(outcomes: [.unknown], asked: [0], error: .unknown, inUse: 0),
      ServerTurns(outcomes: [.foreign], asked: [0], error: .foreign, inUse: 0),
      ServerTurns(outcomes: [.stopped], asked: [0], error: .stopped, inUse: 0),
      // Nobody does: what one has said is told rather than who is not there.
      ServerTurns(outcomes: [.gone, .noRoute], asked: [0, 1], error: .noRoute, inUse: 0),
      ServerTurns(outcomes: [.notReady, .gone], asked: [0, 1], error: .notReady, inUse: 0),
      ServerTurns(outcomes: [.gone, .notReady], asked: [0, 1], error: .notReady, inUse: 0),
    ])
  func order(row: ServerTurns) async {
    let servers = Self.servers()
    let asked = Mutex<[Int]>([])
    var thrown: ClientError?
    do throws(ClientError) {
      try await servers.answer { place throws(ClientError) in
        let turn = asked.withLock { asked in
          asked.append(place)
          return asked.count - 1
        }
        if let error = row.outcomes[turn] { throw error }
      }
    } catch {
      thrown = error
    }
    #expect(asked.withLock { $0 } == row.asked)
    #expect(thrown == row.error)
    #expect(servers.placeInUse == row.inUse)
  }

  @Test("two who find the same one gone move on once; behind the last comes the first")
  func movesOnOnce() {
    let servers = Self.servers()
    #expect(servers.moveOn(from: 0) == 1)
    #expect(servers.moveOn(from: 0) == 1)
    #expect(servers.moveOn(from: 1) == 0)
  }

  @Test("a request that one server refuses with 503 goes to the next, and so do those that follow")
  func notReady() async throws {
    let (first, second) = (try await AnsweringServer(.serviceUnavailable), try await AnsweringServer(.ok))
    let pool = ServerPool(
      ServerList(first.address, alternatives: [second.address]), group: MultiThreadedEventLoopGroup.singleton,
      security: nil)
    for _ in 0..<2 { #expect(try await pool.response(to: HTTPRequest(.get, "/")).status == 200) }
    #expect(first.requestCount == 1 && second.requestCount == 2)
    await second.close()
    // One is not ready, the other is gone.
    await #expect(throws: ClientError.self) { try await pool.response(to: HTTPRequest(.get, "/")) }
    pool.shutDown()
    await first.close()
  }

  @Test(
    "a chat whose server is gone goes on at the next one with its clientId; a new handshake is for who is unknown there",
    arguments: [
      (
        [ScriptedTransport.Turn.succeeds, .succeeds, .fails(.connectionClosed)], [ScriptedTransport.Turn.holds],
        ["1 /meta/connect a"]
      ),
      ([.succeeds, .succeeds, .says("503::server_stopping")], [.holds], ["1 /meta/connect a"]),
      (
        [.succeeds, .succeeds, .fails(.timedOut)], [.fails(.gone), .holds],
        // The first one is there again.
        ["1 /meta/connect a", "0 /meta/connect a"]
      ),
      (
        [.succeeds, .succeeds, .fails(.connectionClosed)], [.says("402::Unknown"), .succeeds, .succeeds, .holds],
        [
          "1 /meta/connect a", "1 /meta/handshake ", "1 /meta/subscribe b", "1 /meta/connect b",
          "1 /meta/connect b",
        ]
      ),
    ] as [([ScriptedTransport.Turn], [ScriptedTransport.Turn], [String])])
  func chat(first: [ScriptedTransport.Turn], second: [ScriptedTransport.Turn], expected: [String]) async throws {
    var configuration = ChatConfiguration(server: Self.addresses[0], userKey: "key")
    configuration.alternatives = [Self.addresses[1]]
    configuration.backOff = BackOff(step: .zero)
    let chat = CarillonChat(configuration)
    let (sent, continuation) = AsyncStream.makeStream(of: String.self)
    let transports = [
      ScriptedTransport(0, clientID: "a", first, continuation),
      ScriptedTransport(1, clientID: "b", second, continuation),
    ]
    let beginning = ["0 /meta/handshake ", "0 /meta/subscribe a", "0 /meta/connect a", "0 /meta/connect a"]
    await chat.begin(over: FailoverTransport(chat.pool.servers, transports))
    var seen: [String] = []
    for await request in sent {
      seen.append(request)
      if seen.count == beginning.count + expected.count { break }
    }
    #expect(seen == beginning + expected)
    await chat.abandon()
  }
}

extension ClientError {
  fileprivate static let gone = ClientError.unreachable("connection refused")
  fileprivate static let noRoute = ClientError.unreachable("no route")
  fileprivate static let notReady = ClientError.refused(status: 503, message: "not ready")
  fileprivate static let busy = ClientError.unsuccessful(channel: "/meta/connect", error: "503::server_busy")
  fileprivate static let foreign = ClientError.refused(status: 404, message: "")
  fileprivate static let unknown = ClientError.unsuccessful(channel: "/meta/connect", error: "402::Unknown client")
}

/// What becomes of one request.
struct ServerTurns: CustomTestStringConvertible, Sendable {
  /// What each server that is asked does; nil: it answers.
  let outcomes: [ClientError?]
  let asked: [Int]
  let error: ClientError?
  let inUse: Int

  var testDescription: String { outcomes.map { $0.map { "\($0)" } ?? "answers" }.joined(separator: ", ") }
}

/// Does with each exchange what it is told to; beyond that it holds.
actor ScriptedTransport: CometTransport {
  enum Turn: Sendable {
    case succeeds, holds
    case fails(ClientError)
    case says(String)
  }

  nonisolated let type = ConnectionType.longPolling
  private let place: Int
  private let clientID: String
  private var turns: [Turn]
  private let sent: AsyncStream<String>.Continuation

  init(_ place: Int, clientID: String, _ turns: [Turn], _ sent: AsyncStream<String>.Continuation) {
    self.place = place
    self.clientID = clientID
    self.turns = turns
    self.sent = sent
  }

  func exchange(_ requests: [CometRequest], timeout: Duration) async throws(ClientError) -> [CometMessage] {
    for request in requests { sent.yield("\(place) \(request.channel) \(request.clientID)") }
    var error: String?
    switch turns.isEmpty ? .holds : turns.removeFirst() {
    case .succeeds: break
    case .holds:
      try? await Task.sleep(for: timeout)
      throw .stopped
    case .fails(let failure): throw failure
    case .says(let text): error = text
    }
    let replies = requests.map { request in
      let outcome = error.map { #""successful":false,"error":"\#($0)""# } ?? #""successful":true"#
      return #"{"channel":"\#(request.channel)",\#(outcome),"clientId":"\#(clientID)"}"#
    }
    return try CometMessage.messages(in: Array("[\(replies.joined(separator: ","))]".utf8))
  }

  func close() {}
}

extension CometRequest {
  /// Empty before there is one.
  fileprivate var clientID: String {
    switch self {
    case .handshake: ""
    case .subscribe(let id, _), .connect(let id, _, _, _), .disconnect(let id, _), .publish(let id, _, _): id
    }
  }
}

/// Answers every request with one status.
private final class AnsweringServer: Sendable {
  private let channel: any Channel
  private let requests: Requests

  private final class Requests: Sendable {
    let count = Atomic<Int>(0)
  }

  init(_ status: HTTPResponseStatus) async throws {
    let requests = Requests()
    self.requests = requests
    channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
      .childChannelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
          try channel.pipeline.syncOperations.configureHTTPServerPipeline()
          try channel.pipeline.syncOperations.addHandler(Handler(status, requests))
        }
      }
      .bind(host: "127.0.0.1", port: 0).get()
  }

  var address: ServerAddress { ServerAddress(host: "127.0.0.1", port: channel.localAddress?.port ?? 0) }
  var requestCount: Int { requests.count.load(ordering: .relaxed) }

  func close() async { try? await channel.close() }

  private final class Handler: ChannelInboundHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundOut = HTTPServerResponsePart

    private let status: HTTPResponseStatus
    private let requests: Requests

    init(_ status: HTTPResponseStatus, _ requests: Requests) {
      self.status = status
      self.requests = requests
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
      guard case .end = unwrapInboundIn(data) else { return }
      requests.count.add(1, ordering: .relaxed)
      let head = HTTPResponseHead(
        version: .http1_1, status: status, headers: ["Content-Length": "0", "Connection": "close"])
      context.write(wrapOutboundOut(.head(head)), promise: nil)
      context.writeAndFlush(wrapOutboundOut(.end(nil))).whenComplete { [channel = context.channel] _ in
        channel.close(promise: nil)
      }
    }
  }
}
