import Bayeux
import CarillonClient

/// One customer of the story, with all that has come to them.
struct DemoCustomer: Sendable {
  let chat: CarillonChat
  let events = DemoInbox<ChatEvent>()
  let messages = DemoInbox<ChatEventMessage>()

  /// - Parameters:
  ///   - alternatives: where else the app looks for its server.
  ///   - instance: the service instance, if there is one already.
  ///   - trace: what passes over the wire.
  init(
    _ server: ServerAddress, alternatives: [ServerAddress] = [], userKey: String, transport: ConnectionType,
    instance: String? = nil, trace: (@Sendable (WireTrace) -> Void)? = nil
  ) {
    var configuration = ChatConfiguration(server: server, userKey: userKey)
    configuration.alternatives = alternatives
    configuration.transport = transport
    configuration.instance = instance
    // A story is no place for long waits.
    configuration.backOff = BackOff(step: .milliseconds(250), maximum: .seconds(1))
    configuration.trace = trace
    chat = CarillonChat(configuration)
    let (chat, events, messages) = (chat, events, messages)
    // Ends with the chat, whose stream it reads.
    Task {
      for await message in chat.events {
        messages.put(message)
        for event in message.events { events.put(event) }
      }
    }
  }

  /// As long as users' keys are to be.
  static func randomKey() -> String {
    let characters = Array("abcdefghijklmnopqrstuvwxyz0123456789")
    return String((0..<32).compactMap { _ in characters.randomElement() })
  }

  func chatID() async throws -> String {
    guard let id = await chat.chatSessionID else { throw DemoFailure("the chat has no id") }
    return id
  }

  func serviceID() async throws -> String {
    guard let id = await chat.serviceID else { throw DemoFailure("the service instance has no id") }
    return id
  }

  /// Waits for a text.
  func hears(_ text: String) async throws -> ChatEvent {
    try await events.first("the message \"\(text)\"") { $0.text == text }
  }

  /// Everything received, as positions and types in order.
  func checkOrder() throws {
    let positions = events.all.map(\.position)
    guard positions == Array(1..<(positions.count + 1)) else {
      throw DemoFailure("positions came as \(positions)")
    }
  }
}
