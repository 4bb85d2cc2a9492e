import Bayeux
import JSONEnvelope
import TextEncoding

/// A customer's chat: starts it, stays connected, goes to the background and comes back without losing an event.
///
/// ```
///   idle ──start──> foreground ──enterBackground──> background ──returnToForeground──> foreground
///                       │                               │
///                       └── disconnect, or the other side ends the chat ──> ended
/// ```
///
/// ```swift
/// var configuration = ChatConfiguration(server: try ServerAddress("http://localhost:8080"), userKey: key)
/// let chat = CarillonChat(configuration)
/// try await chat.start(ChatParameters(firstName: "Mia", push: .init(type: "customhttp", deviceID: "device-77")))
/// Task {
///   for await message in chat.events { for event in message.events { print(event.nickname, event.text) } }
/// }
/// try await chat.send("Hello")
/// try await chat.enterBackground()        // from now on the server pushes
/// await chat.returnToForeground()         // what was missed comes through `events`
/// try await chat.disconnect()
/// ```
///
/// Every event of the transcript comes through `events` exactly once and in order: each handshake and connect says how
/// far they have come, so that what was lost on the way comes again; what comes twice is dropped, and a gap is closed by
/// `refresh`. A lost connection is taken up again with growing
/// pauses for as long as the chat is in the foreground; an unknown session (402) shakes hands anew. Where the configuration
/// names alternatives, the session goes on at whichever of the servers serves.
public actor CarillonChat {
  public enum Phase: String, Sendable { case idle, foreground, background, ended }

  /// What happens in the chat, once each and in order; ends when the chat does. One reader.
  public nonisolated let events: AsyncStream<ChatEventMessage>
  public nonisolated let configuration: ChatConfiguration

  public internal(set) var phase = Phase.idle
  /// The id of the service instance; nil before `start`.
  public internal(set) var serviceID: String?
  public internal(set) var chatSessionID: String?
  /// The highest transcript position received.
  public internal(set) var position = 0
  /// The Comet session; nil while there is none.
  public internal(set) var clientID: String?
  /// How many times this chat has shaken hands.
  public internal(set) var handshakeCount = 0

  let pool: ServerPool
  let continuation: AsyncStream<ChatEventMessage>.Continuation
  var transport: (any CometTransport)?
  var advice: Advice?
  /// Counts the connect loops: what an earlier one still brings is no business of the present one.
  var generation = 0
  var connecting: Task<Void, Never>?
  var recovery: Task<Void, Never>?
  /// A notification has told of events up to here.
  var announcedPosition = 0
  /// How often somebody has asked for a recovery.
  var recoveryCount = 0

  public init(_ configuration: ChatConfiguration) {
    self.configuration = configuration
    pool = ServerPool(
      ServerList(configuration.server, alternatives: configuration.alternatives), group: configuration.group,
      security: configuration.security)
    (events, continuation) = AsyncStream.makeStream(
      bufferingPolicy: .bufferingOldest(Limits.waitingEventsMaximum))
  }

  deinit {
    continuation.finish()
    pool.shutDown()
  }

  /// Creates a service instance unless there is one, starts the chat and connects to its events. If only the last fails it is tried again
  /// in the background of this call's return.
  /// - Throws: `ClientError`; then the chat can be started again.
  @discardableResult
  public func start(_ parameters: ChatParameters = ChatParameters()) async throws(ClientError) -> ChatEventMessage {
    guard phase == .idle, serviceID == nil else { throw .invalidState("the chat was started already") }
    serviceID = try await instance()
    let reply: ChatEventMessage
    do {
      reply = try ChatEventMessage(try await post(path(""), fields: parameters.fields))
    } catch {
      serviceID = nil
      throw error
    }
    chatSessionID = reply.chatSessionID
    phase = .foreground
    accept(reply, origin: .reply)
    await connect()
    return reply
  }

  private func instance() async throws(ClientError) -> String {
    if let instance = configuration.instance { return instance }
    let created = try await post("/genesys/1/service/\(PercentEncoding.encode(configuration.service))", fields: [])
    guard let id = created["_id"]?.string else { throw .malformedResponse("no service id") }
    return id
  }

  /// Tells the server that the app goes to the background: it keeps the chat and pushes from now on.
  ///
  /// The position received so far goes along, so that the return begins exactly there. If the message does not get
  /// through, the chat is in the background all the same, and the server notices by itself that nobody connects.
  /// - Throws: `ClientError`.
  public func enterBackground() async throws(ClientError) {
    guard phase == .foreground else { throw .invalidState("the chat is not in the foreground") }
    phase = .background
    generation += 1
    let result = await disconnectComet()
    connecting?.cancel()
    await connecting?.value
    connecting = nil
    if case .failure(let error) = result { throw error }
  }

  /// Shakes hands anew and takes up what was missed. Does nothing in the foreground.
  public func returnToForeground() async {
    guard phase == .background else { return }
    phase = .foreground
    await connect()
  }

  /// Ends the chat for both sides and closes all connections.
  /// - Throws: `ClientError`; the connections are closed all the same.
  public func disconnect() async throws(ClientError) {
    guard let serviceID, phase != .idle else { throw .invalidState("the chat has not been started") }
    var failure: ClientError?
    if phase != .ended {
      do { accept(try await operation("disconnect", of: serviceID), origin: .reply) } catch { failure = error }
    }
    generation += 1
    _ = await disconnectComet()
    await shutDown()
    if let failure { throw failure }
  }

  /// Lets go of everything without a word, as an app that the system kills does. The server treats it as silent loss.
  public func abandon() async {
    generation += 1
    clientID = nil
    await shutDown()
  }

  func shutDown() async {
    phase = .ended
    recovery?.cancel()
    connecting?.cancel()
    await transport?.close()
    transport = nil
    pool.shutDown()
    continuation.finish()
  }
}
