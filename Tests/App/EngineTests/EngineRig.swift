import Bayeux
import ChatDomain
import Engine
import EntityRuntime
import Foundation
import JSONEnvelope
import Journal
import Logging
import PushDomain
import Synchronization
import SystemPackage

extension AgentViewer {
  /// Who sees everything.
  static let overseer = AgentViewer(id: "overseer", isSupervisor: true)
}

/// A whole engine on a directory of its own, without an edge.
final class EngineRig: Sendable {
  let engine: Engine
  let courier: ScriptedCourier
  let summary: RecoverySummary
  private let running: Task<Void, Never>

  /// - Parameters:
  ///   - directory: the data of an earlier rig, to be a restart of it.
  ///   - storage: the disk that it is on.
  ///   - time: a clock that the test moves: the timers fire when it says `tick`, too.
  ///   - provider: who serves its types, beside the courier of the type `test`.
  init(
    directory: FilePath, sections: [String: [String: String]] = [:], maxInterval: Int = 10_000,
    storage: any JournalStorage = DiskStorage(), segmentByteCount: Int = 1 << 20, time: ManualTime? = nil,
    provider: (any PushProvider)? = nil, logger: Logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() },
    configure: (inout EngineConfiguration) -> Void = { _ in }
  ) async throws {
    var configuration = EngineConfiguration(dataDirectory: directory)
    configuration.journal.segmentByteCount = segmentByteCount
    configuration.sessionSettings.maxIntervalMilliseconds = maxInterval
    configuration.options = Options(
      sections: [
        "service.request-chat": ["_client_timeout_notification": "0"],
        "push": ["pushEnabled": "comet,test"],
      ].merging(sections) { $0.merging($1) { _, new in new } })
    configure(&configuration)
    let courier = ScriptedCourier()
    self.courier = courier
    var environment = EngineEnvironment()
    environment.storage = storage
    if let time {
      environment.time = time
      environment.isStepped = true
    }
    let engine = Engine(
      configuration: configuration, environment: environment,
      providers: { type in
        if let provider, provider.types.contains(type) { return provider }
        return type == "test" ? courier : nil
      },
      logger: logger, onFatal: { _ in })
    self.engine = engine
    running = Task { await engine.run() }
    summary = try await engine.recover()
  }

  func stop(grace: Duration = .seconds(2)) async {
    await engine.stop(grace: grace)
    await running.value
  }

  /// A chat over Comet: its service id, and the session that gets its events.
  func startChat(user: String, pushTo device: String? = nil) async throws -> String {
    let service = try await engine.chats.create(service: "request-chat", data: [])
    _ = try await engine.chats.start(
      service,
      ChatStartRequest(
        userKey: user, notifiesByComet: true, nickname: "Guest 7", subject: "Order",
        pushTarget: device.map { PushTarget(type: "test", deviceID: $0) }))
    return service
  }

  func chatID(_ service: String) async throws -> String {
    try await engine.chats.refresh(service, after: 0, message: nil, by: .house).chatSessionID
  }

  static func temporaryDirectory() throws -> FilePath {
    let url = FileManager.default.temporaryDirectory.appendingPathComponent("carillon-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    return FilePath(url.path)
  }
}

/// A client of the gateway: one user, one exchange for each request.
final class ScriptedClient: Sendable {
  let rig: EngineRig
  let user: String?
  let accessToken: String?
  private let id = Mutex<String?>(nil)

  init(_ rig: EngineRig, user: String?, accessToken: String? = nil, clientID: String? = nil) {
    self.rig = rig
    self.user = user
    self.accessToken = accessToken
    id.withLock { $0 = clientID }
  }

  var clientID: String? { id.withLock { $0 } }

  /// Sends a request; the sink gets its reply.
  ///
  /// - Parameter whenAnswered: called in the same breath as the reply is handed out.
  func send(_ json: String, whenAnswered: (@Sendable () -> Void)? = nil) throws -> ScriptedSink {
    let sink = ScriptedSink(whenAnswered: whenAnswered)
    let exchange = rig.engine.comet.open(
      sink, transport: .longPolling, userKey: user, browserID: nil, accessToken: accessToken)
    sink.attach(exchange, rig.engine.comet)
    let text = json.replacingOccurrences(of: "$ID", with: clientID ?? "")
    rig.engine.comet.received(try BayeuxDecoder.decode(Array(text.utf8)), on: exchange)
    return sink
  }

  func ask(_ json: String) async throws -> [JSONValue] { try await send(json).reply() }

  /// - Parameter ext: a JSON object.
  func handshake(ext: String = "{}") async throws {
    let reply = try await ask(
      #"[{"channel":"/meta/handshake","version":"1.0","supportedConnectionTypes":["long-polling"],"id":"1","ext":\#(ext)}]"#
    )
    id.withLock { $0 = reply.first?["clientId"]?.string }
  }

  /// Handshake, subscribe, first connect: the order of the Java client.
  func comeOnline(ext: String = "{}") async throws -> [JSONValue] {
    try await handshake(ext: ext)
    _ = try await ask(#"[{"channel":"/meta/subscribe","clientId":"$ID","subscription":"/_genesys","id":"2"}]"#)
    return try await connect()
  }

  func poll(ext: String = "{}", advice: String = "{}") throws -> ScriptedSink {
    try send(
      #"[{"channel":"/meta/connect","clientId":"$ID","connectionType":"long-polling","id":"3","#
        + #""ext":\#(ext),"advice":\#(advice)}]"#)
  }

  func connect(ext: String = "{}", advice: String = "{}") async throws -> [JSONValue] {
    try await poll(ext: ext, advice: advice).reply()
  }

  func disconnect(position: Int) async throws -> [JSONValue] {
    try await ask(
      #"[{"channel":"/meta/disconnect","clientId":"$ID","ext":{"transcriptPosition":"\#(position)"},"id":"9"}]"#)
  }
}

/// Takes replies and says that they were written, or that they could not be.
final class ScriptedSink: CometSink {
  private struct State {
    var replies: [CometReply] = []
    var waiter: CheckedContinuation<CometReply, Never>?
    var succeeds = true
    var arrives = true
    var exchange: CometExchange?
    var gateway: CometGateway?
  }

  private let state = Mutex(State())
  private let whenAnswered: (@Sendable () -> Void)?

  init(whenAnswered: (@Sendable () -> Void)? = nil) { self.whenAnswered = whenAnswered }

  func attach(_ exchange: CometExchange, _ gateway: CometGateway) {
    state.withLock {
      $0.exchange = exchange
      $0.gateway = gateway
    }
  }

  /// From now on writing fails.
  func breakDown() { state.withLock { $0.succeeds = false } }

  /// What is written stays on the way, and the connection shows it.
  func loseOnTheWay() { state.withLock { $0.arrives = false } }

  func hasArrived() async -> Bool { state.withLock { $0.arrives } }

  /// The client of a held request leaves.
  func leave() {
    let (exchange, gateway) = state.withLock { ($0.exchange, $0.gateway) }
    if let exchange { gateway?.closed(exchange) }
  }

  /// The exchange, for whoever wants to see it go.
  var exchange: CometExchange? { state.withLock { $0.exchange } }

  var isAnswered: Bool { state.withLock { !$0.replies.isEmpty } }

  func send(_ reply: CometReply) {
    let (waiter, exchange, gateway, succeeds) = state.withLock { state in
      defer { state.waiter = nil }
      if state.waiter == nil { state.replies.append(reply) }
      return (state.waiter, state.exchange, state.gateway, state.succeeds)
    }
    waiter?.resume(returning: reply)
    whenAnswered?()
    if let exchange { gateway?.written(exchange, success: succeeds) }
  }

  func reply() async throws -> [JSONValue] {
    let reply = await withCheckedContinuation { continuation in
      let early = state.withLock { state -> CometReply? in
        if let first = state.replies.first {
          state.replies.removeFirst()
          return first
        }
        state.waiter = continuation
        return nil
      }
      if let early { continuation.resume(returning: early) }
    }
    return try reply.messages.map { try JSONValue(parsing: $0) }
  }
}

/// Takes pushes, and answers as told.
final class ScriptedCourier: PushProvider {
  private struct State {
    var answers: [PushOutcome] = []
    var deliveries: [PushDelivery] = []
    var isSilent = false
  }

  private let state = Mutex(State())
  private let (arrivals, arrived) = AsyncStream.makeStream(of: PushDelivery.self)

  var types: Set<String> { ["test"] }

  func answer(_ outcomes: PushOutcome...) { state.withLock { $0.answers = outcomes } }
  /// Deliveries never end, as if the provider hung.
  func fallSilent() { state.withLock { $0.isSilent = true } }
  var deliveries: [PushDelivery] { state.withLock { $0.deliveries } }

  func deliver(_ delivery: PushDelivery) async -> PushOutcome {
    let (outcome, isSilent) = state.withLock { state in
      state.deliveries.append(delivery)
      return (state.answers.isEmpty ? PushOutcome.delivered() : state.answers.removeFirst(), state.isSilent)
    }
    arrived.yield(delivery)
    if isSilent { try? await Task.sleep(for: .seconds(3)) }
    return outcome
  }

  /// The next delivery.
  func next() async throws -> JSONValue {
    for await delivery in arrivals { return try JSONValue(parsing: delivery.message.content) }
    throw CancellationError()
  }
}

/// The transcript events of the notifications in a reply: position of the last, and (type, text) of each.
struct Notification: Equatable {
  var chat: String
  var state: String
  var position: String
  var lines: [[String]]

  init?(_ message: JSONValue) {
    guard let body = message["data"]?["message"], let chat = body["chatSessionId"]?.string,
      let state = body["chatIxnState"]?.string, let position = body["transcriptPosition"]?.string
    else { return nil }
    self.chat = chat
    self.state = state
    self.position = position
    lines = (body["transcriptToShow"]?.array ?? []).map { tuple in
      [tuple[0]?.string ?? "", tuple[2]?.string ?? ""]
    }
  }
}
