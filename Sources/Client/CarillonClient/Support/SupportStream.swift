import Bayeux
import JSONEnvelope
import NIOCore

/// Live events of support requests, over Comet. Spec: support requests 6.2.
///
/// ```
///   open ──> linked ──connect held, again and again──┐
///              ▲                                     │ lost, or forgotten by the server
///              └────────── pause, link anew ◀────────┘      close, or the token opens nothing any more ──> ended
/// ```
///
/// ```swift
/// let stream = try await support.stream(of: request.id)
/// for await event in stream.events {
///   show(event)                                            // on the screen, by fetching the new comments
///   try await stream.acknowledge(event, on: deviceToken)   // this device needs no push any more
/// }
/// ```
/// An event only says that there is something to fetch. What is missed while the connection is lost comes as a push.
public actor SupportStream {
  static let channels = "/support/requests/"

  /// Ends when the stream does. One reader.
  public nonisolated let events: AsyncStream<SupportEvent>

  private let configuration: SupportConfiguration
  private let channel: String
  private let continuation: AsyncStream<SupportEvent>.Continuation
  private let transport: any CometTransport
  private var advice: Advice?
  private var clientID: String?
  private var running: Task<Void, Never>?

  init(_ configuration: SupportConfiguration, accessToken: String, request: Int64?, pool: ServerPool) {
    self.configuration = configuration
    channel = Self.channels + (request.map { String($0) } ?? "*")
    let (events, continuation) = AsyncStream.makeStream(
      of: SupportEvent.self, bufferingPolicy: .bufferingOldest(Limits.waitingEventsMaximum))
    self.events = events
    self.continuation = continuation
    let headers = [(name: "Authorization", value: "Bearer \(accessToken)")]
    // An event that finds no room is repeated by a push.
    let deliver: CometDelivery = { for event in $0.compactMap(SupportEvent.init) { continuation.yield(event) } }
    transport = pool.transport(
      configuration.transport, headers: headers, trace: configuration.trace, deliver: deliver)
  }

  deinit {
    running?.cancel()
    continuation.finish()
  }

  /// Links, and stays linked from here on.
  func open() async throws(ClientError) {
    do throws(ClientError) { try await link() } catch {
      await transport.close()
      throw error
    }
    running = Task { [weak self] in
      var failures = 0
      while !Task.isCancelled, let backOff = self?.configuration.backOff {
        guard (try? await Task.sleep(for: backOff.delay(afterFailures: failures))) != nil else { break }
        guard let succeeded = await self?.step() else { break }
        failures = succeeded ? 0 : failures + 1
      }
      self?.continuation.finish()
    }
  }

  /// The comment is on the screen of this device: the server sends it no push of it, if it hears that in time.
  /// - Parameter identifier: what the device is registered by.
  public func acknowledge(_ event: SupportEvent, on identifier: String) async throws(ClientError) {
    guard let clientID else { throw .invalidState("the stream is not linked") }
    let reply = try await transport.exchange(
      [
        .publish(
          clientID: clientID, channel: Self.channels + String(event.request),
          data: [
            "type": "refreshed", "comment_id": .string(String(event.comment)), "identifier": .string(identifier),
          ])
      ], timeout: configuration.requestTimeout)
    guard reply[0].successful == true else {
      throw .unsuccessful(channel: reply[0].channel, error: reply[0].error ?? "")
    }
  }

  /// Says goodbye and ends.
  public func close() async {
    running?.cancel()
    continuation.finish()
    if let clientID {
      self.clientID = nil
      _ = try? await transport.exchange(
        [.disconnect(clientID: clientID, transcriptPosition: nil)], timeout: configuration.requestTimeout)
    }
    await transport.close()
  }

  // MARK: The connection

  /// One exchange. - Returns: whether it went well; nil at the end of the stream.
  private func step() async -> Bool? {
    guard advice?.reconnect != Advice.Reconnect.none else { return nil }
    do throws(ClientError) {
      if clientID == nil { try await link() } else { try await hold() }
      return true
    } catch {
      return false
    }
  }

  /// Handshake; then subscription and first connect in one request.
  private func link() async throws(ClientError) {
    let timeout = configuration.requestTimeout
    let supported = ConnectionType.ofApps.map(\.rawValue)
    let shaken = try await transport.exchange(
      [.handshake(supported: supported, transcriptPosition: nil)], timeout: timeout)
    advice = shaken[0].advice
    guard shaken[0].successful == true, let id = shaken[0].clientID else {
      throw .unsuccessful(channel: shaken[0].channel, error: shaken[0].error ?? "")
    }
    let replies = try await transport.exchange(
      [
        .subscribe(clientID: id, channel: channel),
        .connect(clientID: id, type: transport.type.rawValue, isFirst: true, transcriptPosition: nil),
      ],
      timeout: timeout)
    for reply in replies { try check(reply) }
    clientID = id
  }

  /// One `/meta/connect`, held by the server until there is news or its time is up.
  private func hold() async throws(ClientError) {
    guard let clientID else { return }
    let timeout = Duration.milliseconds(advice?.timeoutMilliseconds ?? 30_000) + configuration.requestTimeout
    let replies = try await transport.exchange(
      [.connect(clientID: clientID, type: transport.type.rawValue, isFirst: false, transcriptPosition: nil)],
      timeout: timeout)
    try check(replies[0])
  }

  private func check(_ reply: CometMessage) throws(ClientError) {
    try reply.settle(advice: &advice, clientID: &clientID)
  }
}
