import ChatEngine
import EngineKit
import EventSourcing
import HTTPKit
import HTTPTypes
import Hummingbird
import JSONEnvelope

/// What an agent sees of a customer.
extension AgentRoutes {
  /// Of each kind of what is shown.
  private static let dealingsMaximum = 100

  static let customer = Operation<AgentRoutes>(
    .get, "/agent/1/customers/{key}", "getCustomer", "What one sees of a customer",
    about: """
      By the key that the app has chosen (`gms_user`): chats that one sees, callbacks and requests, of each the newest \
      \(dealingsMaximum), and devices, masked. Attached data is that of those chats, of each field the newest value. Who \
      has to do with none of it is told 404.
      """, access: .agent,
    parameters: [.path("key", "The customer's key.")],
    answers: [.json(200, "The customer.", .named("Customer"))], failures: [404]
  ) { try await $0.customer($1, $2, $3) }

  private func customer(
    _ token: AccessToken, _ request: Request, _ context: EdgeRequestContext
  ) async throws -> Response {
    let base = address.origin(request, context)
    guard let key = PathText.decode(try context.parameters.require("key")) else { throw EdgeFailure.notFound }
    let (limit, viewer) = (Self.dealingsMaximum, token.viewer)
    let chats = try await agents.list(ofCustomer: key, limit: limit, for: viewer)
    let dealings = try await neighbours.dealings(with: key, limit: limit, for: viewer)
    guard !chats.isEmpty || !dealings.callbacks.isEmpty || !dealings.requests.isEmpty else {
      throw EdgeFailure.notFound
    }
    return .object { customer in
      customer.member("key", key)
      customer.member("name", chats.first?.customer)
      customer.object("data") { data in
        var names: Set<String> = []
        for pair in chats.lazy.flatMap(\.data) where names.insert(pair.name).inserted {
          data.member(named: pair.name, pair.value)
        }
      }
      customer.objects("chats", chats) { AgentRendering.write($0, isComplete: false, base: base, into: &$1) }
      customer.objects("callbacks", dealings.callbacks) { $0.write(into: &$1) }
      customer.objects("requests", dealings.requests) { $0.write(into: &$1) }
      customer.objects("devices", dealings.devices) { $0.write(into: &$1) }
    }
  }

  static let customerSchema = APISchema.object([
    .required("key"), .required("name", APISchema.text.orNull, "The nickname of the newest chat."),
    .required("data", .map(of: .text), "Attached data."), .required("chats", .list(of: .named("Chat"))),
    .required(
      "callbacks",
      .list(
        of: .object([
          .required("callbackId"), .required("service"), .required("state"), .required("createdAt", .time),
          .required("desiredTime", APISchema.time.orNull, "Null: as soon as possible."),
        ]))),
    .required(
      "requests",
      .list(
        of: .object([
          .required("id", .integer), .required("subject"), .required("status"), .required("updatedAt", .time),
        ]))),
    .required(
      "devices",
      .list(
        of: .object([
          .required("type"), .required("device", .text, "The end of its token."),
          .required("app", APISchema.text.orNull), .required("live", .bool), .required("registeredAt", .time),
        ]))),
  ])
}
