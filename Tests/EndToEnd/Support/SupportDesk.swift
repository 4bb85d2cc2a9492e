import CarillonClient
import JSONEnvelope
import StandInSupport

/// What a server needs to serve support requests of one app, and those who use it.
struct SupportDesk: Sendable {
  static let app = "shop"

  let server: ServerProcess

  /// - Parameter webhookURL: where the customer's back end listens.
  static func options(webhookURL: String, retrySchedule: String = "1,1,1,1,1,1,1,1") -> ServerOptions {
    [
      "push": [
        "pushEnabled": "comet", "webhooks.allow_private": "127.0.0.1/32", "push.retry_schedule": retrySchedule,
      ],
      "support.app.\(app)": ["integration": "webhook", "webhook_url": webhookURL, "test": "true"],
      "support.agents": ["k": "Agent K"],
    ]
  }

  var address: ServerAddress { ServerAddress(host: "127.0.0.1", port: server.port) }

  /// An app whose user is signed in.
  func signedIn(_ guid: String) async throws -> SupportClient {
    let client = SupportClient(SupportConfiguration(server: address, app: Self.app))
    try await client.signIn(guid: guid, name: "Ann")
    return client
  }

  func agent() -> AgentClient { AgentClient(address, token: server.token()) }
}
