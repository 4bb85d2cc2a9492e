import JSONEnvelope
public import NIOCore
public import NIOPosix
import TextEncoding

/// A device: checks in, registers apps, receives their messages and sends some.
///
/// ```swift
/// let device = DeviceClient(address)
/// try await device.checkIn()
/// let token = try await device.register(app: "com.example.app", senders: ["1234567890"])
/// for try await message in await device.messages() {
///   …
///   await device.acknowledge(message.id)
/// }
/// ```
///
/// Connects again by itself. A message that was not acknowledged comes again then, unless this client has seen it.
public actor DeviceClient {
  /// Ids remembered, to know a message that comes again, and to tell the server of.
  private static let idsMaximum = 1_000
  /// Behind a heartbeat of the server, until it is taken for gone.
  private static let heartbeatGrace = Duration.seconds(30)

  public nonisolated let address: ServerAddress
  /// Nil before the first check-in.
  public private(set) var identity: DeviceIdentity?
  /// Acknowledged, and the server may not know: to be kept by a client that may be restarted.
  public private(set) var unconfirmedIDs: [String]

  private let loop: any EventLoop
  private let security: TransportSecurity?
  private let pool: ServerPool
  private let backOff: BackOff
  private var seenIDs: [String]
  private var isIdle = false
  private var socket: DeviceSocket?
  private var failures = 0
  /// Messages to app servers that the server has not taken yet, in order.
  private var outgoing: [(message: DeviceUpstream, done: CheckedContinuation<Void, any Error>)] = []

  /// - Parameters:
  ///   - alternatives: where standbys serve once one has taken the server's place, in the order in which they are tried.
  ///   - identity: of an earlier check-in.
  ///   - unconfirmedIDs: of the client that had this identity before.
  ///   - security: needed for `https` only.
  public init(
    _ address: ServerAddress, alternatives: [ServerAddress] = [], identity: DeviceIdentity? = nil,
    unconfirmedIDs: [String] = [], backOff: BackOff = BackOff(),
    group: any EventLoopGroup = MultiThreadedEventLoopGroup.singleton, security: TransportSecurity? = nil
  ) {
    self.address = address
    self.identity = identity
    self.unconfirmedIDs = unconfirmedIDs
    self.backOff = backOff
    self.security = security
    seenIDs = unconfirmedIDs
    loop = group.next()
    pool = ServerPool(ServerList(address, alternatives: alternatives), group: group, security: security)
  }

  deinit { pool.shutDown() }

  // MARK: Identity and tokens

  /// Gets an identity, or confirms the one that there is.
  /// - Throws: `.refused` with status 401 if it is not known any more: begin with none.
  @discardableResult
  public func checkIn() async throws(ClientError) -> DeviceIdentity {
    let known: JSONValue =
      identity.map { ["id": .string("\($0.id)"), "securityToken": .string("\($0.securityToken)")] } ?? [:]
    let fresh = try DeviceIdentity(try await request(.post, "/device/1/checkin", known))
    identity = fresh
    return fresh
  }

  /// Registers an app for senders; the same ones get the same token.
  public func register(
    app: String, senders: [String], subtype: String? = nil
  ) async throws(ClientError) -> String {
    var form: JSONValue = ["app": .string(app), "senders": .array(senders.map { .string($0) })]
    if let subtype, case .object(var members) = form {
      members["subtype"] = .string(subtype)
      form = .object(members)
    }
    guard let token = try await request(.post, "/device/1/register", form)["token"]?.string else {
      throw .malformedResponse("no token")
    }
    return token
  }

  /// Ends the registrations of an app, for all senders.
  public func unregister(app: String, subtype: String? = nil) async throws(ClientError) {
    let subtype = subtype.map { "&subtype=\(PercentEncoding.encode($0))" } ?? ""
    _ = try await request(.delete, "/device/1/registrations?app=\(PercentEncoding.encode(app))\(subtype)")
  }

  /// Subscribes one of its own tokens to a topic.
  public func subscribe(_ token: String, to topic: String) async throws(ClientError) {
    _ = try await request(.post, "/device/1/topics", ["token": .string(token), "topic": .string(topic)])
  }

  /// Does what a device begins with as soon as its server is there: tries again, with the back-off of its connections,
  /// while nobody answers or the server says that it is not ready (503).
  /// - Parameters:
  ///   - isWaiting: told once, with what the first attempt met with.
  ///   - work: may be done again after a part of it has been done, as checking in and registering may.
  /// - Throws: whatever else `work` met with; `CancellationError`.
  public func untilServed<Value: Sendable>(
    isWaiting: @Sendable (ClientError) -> Void = { _ in }, _ work: @Sendable () async throws -> Value
  ) async throws -> Value {
    var failures = 0
    while true {
      do {
        return try await work()
      } catch let error as ClientError where error.mayPass {
        failures += 1
        if failures == 1 { isWaiting(error) }
      }
      try await Task.sleep(for: backOff.delay(afterFailures: failures))
    }
  }

  private func request(
    _ method: HTTPRequest.Method, _ path: String, _ body: JSONValue? = nil
  ) async throws(ClientError) -> JSONValue {
    var headers: [(name: String, value: String)] = []
    if let identity { headers = [("Authorization", "AidLogin \(identity.id):\(identity.securityToken)")] }
    let response = try await pool.response(
      to: HTTPRequest(
        method, path, headers: headers, contentType: body == nil ? nil : "application/json", body: body?.text ?? []))
    guard (200..<300).contains(response.status) else {
      throw .refused(status: response.status, message: errorMessage(in: response.bodyBytes))
    }
    guard !response.bodyBytes.isEmpty else { return .null }
    do { return try JSONValue(parsing: response.bodyBytes) } catch { throw .malformedResponse("\(error)") }
  }

  // MARK: The connection

  /// Connects, stays connected, and hands out what comes, each message once. Ends when its reader does; throws
  /// `ClientError.refused` if the server does not know the identity.
  /// - Parameter heartbeat: how often the server is to show that it is there.
  public func messages(heartbeat: Duration = .seconds(60)) -> AsyncThrowingStream<DeviceMessage, any Error> {
    let (stream, continuation) = AsyncThrowingStream.makeStream(of: DeviceMessage.self)
    let running = Task { await run(heartbeat, continuation) }
    continuation.onTermination = { _ in running.cancel() }
    return stream
  }

  /// The app has this message: it will not come again.
  public func acknowledge(_ id: String) {
    unconfirmedIDs = (unconfirmedIDs + [id]).suffix(Self.idsMaximum)
    socket?.send(["type": "ack", "ids": [.string(id)]])
  }

  /// While the device is idle, messages of normal priority wait.
  public func setIdle(_ isIdle: Bool) {
    self.isIdle = isIdle
    socket?.send(["type": "status", "idle": .bool(isIdle)])
  }

  /// Sends a message to an app server; returns once the server has it, after a new connection if need be.
  /// - Throws: `ClientError.unsuccessful` if it will never arrive, `.stopped` if nobody reads `messages` any more.
  public func send(_ message: DeviceUpstream) async throws {
    try await withCheckedThrowingContinuation { continuation in
      outgoing.append((message, continuation))
      socket?.send(message.text)
    }
  }

  private func run(
    _ heartbeat: Duration, _ continuation: AsyncThrowingStream<DeviceMessage, any Error>.Continuation
  ) async {
    var outcome: ClientError?
    while !Task.isCancelled, outcome == nil {
      do throws(ClientError) {
        try await connection(heartbeat, continuation)
      } catch {
        if case .refused(status: 401, _) = error { outcome = error }
      }
      failures += 1
      if outcome == nil { try? await Task.sleep(for: backOff.delay(afterFailures: failures)) }
    }
    continuation.finish(throwing: outcome)
    for (_, done) in outgoing { done.resume(throwing: ClientError.stopped) }
    outgoing = []
  }

  /// One connection, from its login to its end.
  private func connection(
    _ heartbeat: Duration, _ continuation: AsyncThrowingStream<DeviceMessage, any Error>.Continuation
  ) async throws(ClientError) {
    guard let identity else { throw .invalidState("no identity: check in first") }
    let servers = pool.servers
    let (socket, place) = try await servers.answer { [loop, security] place throws(ClientError) in
      let socket = try await DeviceSocket.open(
        to: servers.addresses[place], on: loop, security: security, silence: heartbeat + Self.heartbeatGrace)
      return (socket, place)
    }
    defer {
      self.socket = nil
      socket.close()
      servers.moveOn(from: place)
    }
    let told = unconfirmedIDs
    socket.send([
      "type": "login", "id": .string("\(identity.id)"), "token": .string("\(identity.securityToken)"),
      "received": .array(told.map { .string($0) }), "idle": .bool(isIdle),
      "heartbeat": .integer(heartbeat.components.seconds),
    ])
    for await bytes in socket.texts {
      guard let text = try? JSONValue(parsing: bytes) else { throw .malformedResponse("no JSON") }
      switch text["type"]?.string {
      case "ready":
        failures = 0
        unconfirmedIDs.removeAll { told.contains($0) }
        self.socket = socket
        for id in unconfirmedIDs { socket.send(["type": "ack", "ids": [.string(id)]]) }
        for (message, _) in outgoing { socket.send(message.text) }
      case "message": if let message = DeviceMessage(text) { take(message, continuation) }
      case "ack": for id in text["ids"]?.array ?? [] { finish(id.string, .success(())) }
      case "error":
        let reason = text["reason"]?.string ?? ""
        guard let id = text["id"]?.string else {
          throw reason == "unauthenticated"
            ? .refused(status: 401, message: reason) : .unsuccessful(channel: DeviceSocket.path, error: reason)
        }
        finish(id, .failure(.unsuccessful(channel: DeviceSocket.path, error: reason)))
      case "heartbeat": socket.send(["type": "alive"])
      default: break
      }
    }
  }

  private func take(
    _ message: DeviceMessage, _ continuation: AsyncThrowingStream<DeviceMessage, any Error>.Continuation
  ) {
    guard !seenIDs.contains(message.id) else { return }
    seenIDs = (seenIDs + [message.id]).suffix(Self.idsMaximum)
    continuation.yield(message)
  }

  private func finish(_ id: String?, _ result: Result<Void, ClientError>) {
    guard let place = outgoing.firstIndex(where: { $0.message.id == id }) else { return }
    outgoing.remove(at: place).done.resume(with: result.mapError { $0 })
  }
}
