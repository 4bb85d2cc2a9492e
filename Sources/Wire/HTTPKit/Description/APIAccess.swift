package import JSONEnvelope

/// What a caller shows. Spec: OpenAPI 3.1, Security Requirement Object.
package enum APIAccess: Sendable {
  /// Nothing.
  case open
  /// Nothing, unless the server or the service has credentials of its own (HTTP Basic). Spec: GMS 2.5.
  case customer
  /// As a customer, or an operator's token, which sees more.
  case customerOrAdmin
  case agent
  case admin
  /// Nothing, or an operator's token: as the operator has it.
  case openOrAdmin
  /// Either of them.
  case staff
  /// Back ends that publish events, and operators.
  case publisher
  /// Back ends that use application channels, and operators.
  case channels
  /// Standbys of this server, and operators.
  case standby
  /// The key of an app server.
  case sender
  /// A sender's key for its own, an operator's token for all.
  case senderOrAdmin
  /// The identity of a checked-in device.
  case device
  /// A page's sender, by the key that it signs with.
  case webPush
  /// An end user of support requests.
  case supportUser
  /// An agent, in the helpdesk's own API.
  case supportAgent
  /// Either of them.
  case supportAnyone
  /// An operator, in the helpdesk's own API.
  case supportOperator

  /// Alternatives; of each all that it names.
  private var alternatives: [[Scheme]] {
    switch self {
    case .open: []
    case .customer: [[], [.basic], [.userToken]]
    case .customerOrAdmin: [[], [.basic], [.userToken], [.adminToken]]
    case .agent: [[.agentToken], [.session]]
    case .admin: [[.adminToken], [.session]]
    case .openOrAdmin: [[], [.adminToken], [.session]]
    case .staff: [[.agentToken], [.adminToken], [.session]]
    case .publisher: [[.publisherToken], [.adminToken]]
    case .channels: [[.channelsToken], [.adminToken]]
    case .standby: [[.standbyToken], [.adminToken]]
    case .sender: [[.senderKey], [.senderToken]]
    case .senderOrAdmin: [[.adminToken], [.senderKey], [.senderToken]]
    case .device: [[.deviceLogin]]
    case .webPush: [[], [.vapid], [.senderKey]]
    case .supportUser: [[.supportToken]]
    case .supportAgent: [[.agentToken], [.adminToken], [.apiToken]]
    case .supportAnyone: [[.supportToken], [.agentToken], [.adminToken], [.apiToken]]
    case .supportOperator: [[.adminToken], [.apiToken]]
    }
  }

  package var json: JSONValue {
    .array(alternatives.map { schemes in .object(schemes.map { ($0.rawValue, []) }) })
  }

  /// What is said to whoever does not show it.
  package var failures: [Int] {
    switch self {
    case .open: []
    case .sender, .device, .webPush: [401]
    case .customer, .customerOrAdmin, .agent, .admin, .openOrAdmin, .staff, .publisher, .channels, .standby,
      .senderOrAdmin, .supportUser,
      .supportAgent,
      .supportAnyone,
      .supportOperator:
      [401, 403]
    }
  }

  // MARK: Schemes

  private enum Scheme: String, CaseIterable {
    case basic, userToken, agentToken, adminToken, session, publisherToken, channelsToken, standbyToken, senderKey,
      senderToken, deviceLogin, vapid,
      supportToken,
      apiToken

    var json: JSONValue {
      switch self {
      case .basic:
        Self.http("basic", "Only where `username` and `password` are configured, for the server or for the service.")
      case .userToken:
        Self.http("bearer", "Only where `identity` is `jwt`: a signed token that proves the `gms_user`.")
      case .agentToken:
        Self.http("bearer", "A token of the role agent, supervisor or bot: `carillon token create NAME --role agent`.")
      case .adminToken: Self.http("bearer", "An operator's token: `carillon token create NAME --role admin`.")
      case .session:
        [
          "type": "apiKey", "in": "cookie", "name": .string(SessionCookie.name),
          "description":
            "A session that acts as such a token: `POST /console/1/session`. Every change needs the header `X-CSRF-Token` beside it.",
        ]
      case .publisherToken: Self.http("bearer", "A token of the role publisher.")
      case .channelsToken:
        Self.http("bearer", "A back end's token: `carillon token create NAME --role channels`.")
      case .standbyToken: Self.http("bearer", "A standby's token: `carillon token create NAME --role standby`.")
      case .senderKey: Self.header("Authorization", "`key=KEY`: the key of an app server.")
      case .senderToken: Self.http("bearer", "The key of an app server, or an access token from `/token`.")
      case .deviceLogin: Self.header("Authorization", "`AidLogin ID:SECURITY-TOKEN`, both from a check-in.")
      case .supportToken: Self.http("bearer", "An access token from `/access/sdk/anonymous` or `/access/sdk/jwt`.")
      case .apiToken: Self.http("basic", "`{email}/token` and the secret of an agent's or operator's token.")
      case .vapid: Self.header("Authorization", "`vapid t=TOKEN, k=KEY`. RFC 8292.")
      }
    }

    private static func http(_ scheme: String, _ about: String) -> JSONValue {
      ["type": "http", "scheme": .string(scheme), "description": .string(about)]
    }

    private static func header(_ name: String, _ about: String) -> JSONValue {
      ["type": "apiKey", "in": "header", "name": .string(name), "description": .string(about)]
    }
  }

  /// All schemes, by name.
  package static var schemes: [(String, JSONValue)] { Scheme.allCases.map { ($0.rawValue, $0.json) } }
}
