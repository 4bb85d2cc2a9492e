import EdgeSecurity
import HTTPTypes
import Testing

@testable import HTTPEdge

@Suite("Which requests cost a stranger something")
struct BudgetedRouteTests {
  @Test(
    "by method and path, as the router reads them",
    arguments: [
      ("POST", "/genesys/1/service/request-chat", BudgetedAction.chats), ("POST", "//genesys/1/service//x/", .chats),
      ("GET", "/genesys/1/service/request-chat", nil), ("POST", "/genesys/1/service/ID/ixn/chat", nil),
      ("POST", "/genesys/1/service/ID/ixn/chat/send", nil),
      ("POST", "/genesys/1/service/ID/ixn/chat/file", .uploads), ("GET", "/genesys/1/service/ID/ixn/chat/file/F", nil),
      ("POST", "/agent/1/chats/ID/file", nil),
      ("POST", "/genesys/1/service/callback/voice", .callbacks),
      ("GET", "/genesys/1/service/callback/voice", .callbackQueries),
      ("GET", "/genesys/1/service/callback", .callbackQueries), ("GET", "/genesys/1/service/callback/voice/ID", nil),
      ("GET", "/genesys/1/service/callback/voice/availability", nil),
      ("POST", "/genesys/1/storage/60", .uploads), ("POST", "/genesys/1/storage/custom/x/60", .uploads),
      ("POST", "/genesys/1/storage/ID/60", .uploads), ("POST", "/genesys/1/service/ID/storage", .uploads),
      ("POST", "/genesys/1/service/ID/storage/key", .uploads), ("GET", "/genesys/1/storage/ID", nil),
      ("POST", "/genesys/1/notification/subscription", .subscriptions),
      ("POST", "/genesys/1/notification/publish", nil), ("POST", "/genesys/1/admin/callback/cancel", nil),
      ("POST", "/access/sdk/anonymous", .signIns), ("POST", "/access/sdk/jwt", .signIns), ("POST", "/token", .signIns),
      ("POST", "/api/v2/uploads", .uploads), ("POST", "/api/mobile/uploads", .uploads),
      ("POST", "/api/v2/requests", .requests), ("POST", "/api/mobile/requests", .requests),
      ("POST", "/api/mobile/push_notification_devices", .devices), ("PUT", "/api/v2/requests/1", nil),
      ("POST", "/api/v2/push_notification_devices/destroy_many", nil),
      ("POST", "/devices/1", .devices), ("POST", "/checkin", .checkIns), ("POST", "/device/1/checkin", .checkIns),
      ("POST", "/device/1/register", .devices), ("POST", "/device/1/topics", nil),
      ("POST", "/c2dm/register3", .devices),
      ("POST", "/v1/projects/p/registrations", .devices), ("POST", "/v1/projects/p/messages:send", nil),
      ("POST", "/gcm/send", nil), ("POST", "/fcm/send/TOKEN", nil), ("POST", "/", nil), ("POST", "", nil),
    ] as [(String, String, BudgetedAction?)])
  func table(_ method: String, _ path: String, _ action: BudgetedAction?) {
    #expect(BudgetedRoute.action(method, path) == action)
  }

  @Test("whatever a stranger can make is in the table, or needs something that is")
  func completeness() {
    let open = APIDocument.carillon.operations.filter { operation in
      guard operation.method == .post else { return false }
      return switch operation.access {
      case .open, .customer: true
      default: false
      }
    }
    #expect(open.count > 10)
    for operation in open where BudgetedRoute.action("POST", operation.path) == nil {
      // An instance, a callback, a chat: whoever has one has paid for it. Comet sessions are paid for by the handshake.
      let needsInstance = operation.path.hasPrefix("/genesys/1/service/{service}/")
      let isComet = operation.path.hasPrefix("/genesys/cometd")
      // Nothing of it stays.
      let isStateless = operation.path.hasSuffix("/authTokens:generate")
      #expect(needsInstance || isComet || isStateless, "\(operation.path)")
    }
  }

  @Test("and says so in the description")
  func description() {
    for operation in APIDocument.carillon.operations
    where BudgetedRoute.action(operation.method.rawValue, operation.path) != nil {
      #expect(operation.answers.contains { $0.status == 429 }, "\(operation.path)")
    }
  }
}
