import NIOCore
import PushDomain
import PushProviders

extension PushMessage {
  static func sample(
    _ number: Int = 1, to target: PushAddress, content: String = #"{"message":"New message from Agent"}"#
  ) -> PushMessage {
    PushMessage(
      producer: "412-chat", number: number, tag: "chat.newagentmessage", alert: "New message from Agent",
      content: Array(content.utf8), service: "request-chat", target: target)
  }
}

extension PushDelivery {
  /// To the receiver's own URL.
  static func callback(_ url: String, content: String = "{}") -> PushDelivery {
    PushDelivery(
      message: .sample(to: PushAddress(type: "httpcb", deviceID: url), content: content), attempt: 1,
      options: PushOptions())
  }
}

/// Runs `body` with a receiver and a courier, and ends both.
func withReceiver<Result: Sendable>(
  _ settings: WebhookSettings = .impatient, host: String = "127.0.0.1",
  _ body: (ReceiverServer, WebhookCourier) async throws -> Result
) async throws -> Result {
  let server = try await ReceiverServer.start(host: host)
  let courier = WebhookCourier(settings)
  do {
    let result = try await body(server, courier)
    await courier.shutdown()
    try await server.stop()
    return result
  } catch {
    await courier.shutdown()
    try await server.stop()
    throw error
  }
}

extension WebhookSettings {
  /// For receivers that are expected to answer, slow machine or not.
  static var impatient: WebhookSettings { .with(read: .seconds(5)) }

  static func with(
    connect: Duration = .seconds(5), read: Duration, inFlight: Int = 64, perHost: Int = 8, waiting: Int = 10_000
  ) -> WebhookSettings {
    var settings = WebhookSettings()
    settings.connectTimeout = connect
    settings.readTimeout = read
    settings.inFlightMaximum = inFlight
    settings.inFlightPerHostMaximum = perHost
    settings.waitingMaximum = waiting
    return settings
  }
}
