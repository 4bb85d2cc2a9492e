import Engine
import HTTPTypes
import Hummingbird
import JSONEnvelope
import Logging

/// Who may come in: what `carillon token` does, by the same store.
extension ServerRoutes {
  static let tokenOperations: [Operation<ServerRoutes>] = [
    Operation(
      .get, "/admin/1/tokens", "listTokens", "All tokens, revoked ones too, the oldest first", access: .admin,
      parameters: APIParameter.listed(
        [.query("role", "Of this role.", roles), .query("usable", "`true`: without those that are revoked.", flag)],
        upTo: EngineLimits().listMaximum),
      answers: [.page("Without their secrets, which nobody has.", of: .named("Token"))], failures: [400, 500]
    ) { routes, token, request, _ in try routes.list(token, request) },
    Operation(
      .post, "/admin/1/tokens", "createToken", "Make a token",
      about: "The answer holds the secret, which can never be shown again.", access: .admin,
      body: .json(
        .object([
          .required(
            "name", .text(pattern: "^[ -~]{1,64}$"),
            "Whose it is; the agent's id. Unique among the usable ones, and those who are signed in by a provider."),
          .required("role", roles),
          .optional(
            "services", .list(of: serviceName, 0...EdgeLimits.servicesByTokenMaximum),
            "That its holder has to do with; all if absent. For roles that take part in chats."),
          .optional(
            "sender",
            .object([
              .required("id", senderName, "That devices register for."), .optional("projectId", senderName),
              .optional("testMode", .bool, "Operators may script faults for it."),
              .optional(
                "allowedAddresses", .list(of: .text, 0...EdgeLimits.allowedAddressesMaximum),
                "IP addresses that requests may come from; any if absent."),
            ]), "For the role `sender`, and for that one only."),
        ])),
      answers: [
        .json(
          201, "It is good from now on.",
          .object(
            .named("Token"),
            and: [
              .required("secret", .text, "`Authorization: Bearer` with it; of a sender, `key=`."),
              .required(
                "unknownServices", .list(of: .text), "Of those named, what no service and no app is called yet."),
            ]), links: [APILink(to: "revokeToken", "id", from: "/id")])
      ], failures: [400, 409, 500]
    ) { routes, token, request, _ in try await routes.create(token, request) },
    Operation(
      .post, "/admin/1/tokens/{id}/revoke", "revokeToken", "Make a token useless at once",
      about: "One's own only with `confirm`: whoever has no other one has locked themselves out. 409 without.",
      access: .admin, parameters: [.path("id", "The token's id.")],
      body: .json(.object([.optional("confirm", APISchema.bool.byDefault(.bool(false)))]), isRequired: false),
      answers: [.json(200, "It opens nothing any more.", .named("Token"))], failures: [400, 404, 409, 500]
    ) { routes, token, request, context in try await routes.revoke(token, request, context) },
  ]

  static let flag = APISchema.oneOf("true", "false")
  private static let roles = APISchema.oneOf(TokenRole.allCases.map(\.rawValue))
  private static let serviceName = APISchema.text(pattern: "^[!-~]{1,\(EdgeLimits.serviceNameBytesMaximum)}$")
  private static let senderName = APISchema.text(pattern: "^[A-Za-z0-9_.:-]{1,64}$")

  static let tokenSchemas: [(String, APISchema)] = [
    (
      "Token",
      .object([
        .required("id"), .required("name"), .required("role", roles), .required("usable", .bool),
        .required("own", .bool, "The request bore it."), .required("createdAt", .time), .optional("revokedAt", .time),
        .optional("services", .list(of: .text), "Absent: all."),
        .optional(
          "sender",
          .object([
            .required("id"), .optional("projectId"), .required("testMode", .bool),
            .required("allowedAddresses", .list(of: .text)), .required("serviceAccount", .bool),
          ])),
      ])
    )
  ]

  private func list(_ own: AccessToken, _ request: Request) throws -> Response {
    let query = try ListQuery(request, ["role", "usable"], limitMaximum: listMaximum)
    let role = try query.word("role", TokenRole.self)
    let isUsableOnly = try query.flag("usable")
    let all = try stored { () throws(TokenStoreError) in try tokens.list() }
    // In the order in which they were made, which is not that of their ids.
    let start = try query.after.map { after throws(EdgeFailure) in
      guard let place = all.firstIndex(where: { $0.id == after }) else {
        throw .badParameter("after", "is not where a list ended")
      }
      return place + 1
    }
    let rest = all[(start ?? 0)...].filter { token in
      (role ?? token.role) == token.role && (token.isUsable || !isUsableOnly)
    }
    let page = rest.prefix(query.limit)
    return .json(adding: query.link(next: rest.count > page.count ? page.last?.id : nil)) {
      $0.objects(page) { Self.write($0, own, into: &$1) }
    }
  }

  private func create(_ own: AccessToken, _ request: Request) async throws -> Response {
    let body = try JSONBody(try await request.bytes(limits: limits))
    let (name, role) = (try body.text("name"), try Self.role(body))
    let services = try body.optionalTexts("services") ?? []
    let sender = try Self.sender(body)
    let secret = try stored { () throws(TokenStoreError) in
      try tokens.create(name: name, role: role, sender: sender, services: services)
    }
    guard let made = tokens.token(for: secret) else { throw EdgeFailure.unexpected }
    logger.notice("a token was made", metadata: ["token": "\(made.id)", "role": "\(role)", "by": "\(own.id)"])
    let options = engine.options.current
    return .object(status: .created) { object in
      Self.write(made, own, into: &object)
      object.member("secret", secret)
      object.member("unknownServices", services.filter { !options.hasHome($0) })
    }
  }

  private static func role(_ body: JSONBody) throws(EdgeFailure) -> TokenRole {
    guard let role = TokenRole(rawValue: try body.text("role")) else {
      throw .badParameter("role", "is not one of \(TokenRole.allCases.map(\.rawValue).joined(separator: ", "))")
    }
    return role
  }

  private static func sender(_ body: JSONBody) throws(EdgeFailure) -> SenderGrant? {
    guard let value = try body.optionalObject("sender") else { return nil }
    let grant = try JSONBody(value.text)
    return SenderGrant(
      sender: try grant.text("id"), isTest: try grant.optionalBool("testMode") ?? false,
      allowedAddresses: try grant.optionalTexts("allowedAddresses") ?? [],
      projectID: try grant.optionalText("projectId"))
  }

  private func revoke(
    _ own: AccessToken, _ request: Request, _ context: EdgeRequestContext
  ) async throws -> Response {
    let body = try JSONBody(try await request.bytes(limits: limits))
    let isConfirmed = try body.optionalBool("confirm") ?? false
    let id = try context.parameters.require("id")
    // By its id alone: a name may be another token's by now.
    guard try stored({ () throws(TokenStoreError) in try tokens.list() }).contains(where: { $0.id == id }) else {
      throw EdgeFailure.notFound
    }
    guard id != own.id || isConfirmed else {
      throw EdgeFailure(
        .conflict, "This is your own token: say 'confirm' to lock yourself out", exception: "ConfirmationException")
    }
    let revoked = try stored { () throws(TokenStoreError) in try tokens.revoke(id) }
    logger.notice("a token was revoked", metadata: ["token": "\(id)", "by": "\(own.id)"])
    return .object { Self.write(revoked, own, into: &$0) }
  }

  private static func write(_ token: AccessToken, _ own: AccessToken, into object: inout JSONObjectWriter) {
    object.member("id", token.id)
    object.member("name", token.name)
    object.member("role", token.role.rawValue)
    object.member("usable", token.isUsable)
    object.member("own", token.id == own.id)
    object.member("createdAt", token.createdAt)
    object.member("revokedAt", ifPresent: token.revokedAt)
    object.member("services", ifPresent: token.services)
    guard let sender = token.sender else { return }
    object.object("sender") { object in
      object.member("id", sender.sender)
      object.member("projectId", ifPresent: sender.projectID)
      object.member("testMode", sender.isTest)
      object.member("allowedAddresses", sender.allowedAddresses)
      object.member("serviceAccount", sender.account != nil)
    }
  }

  /// What the store says, as HTTP has it.
  private func stored<Value>(_ body: () throws(TokenStoreError) -> Value) throws(EdgeFailure) -> Value {
    do throws(TokenStoreError) {
      return try body()
    } catch {
      switch error.code {
      case .invalidName: throw .badParameter("name", "is not usable: \(error.message)")
      case .invalidSender: throw .badParameter("sender", "is not usable: \(error.message)")
      case .invalidRole: throw .badParameter("role", "is not usable: \(error.message)")
      case .invalidServices: throw .badParameter("services", "is not usable: \(error.message)")
      case .nameTaken:
        throw EdgeFailure(
          .conflict, "A usable token has this name, or somebody who is signed in", exception: "NameTakenException")
      case .unknownToken: throw .notFound
      case .limitReached: throw .unavailable("A limit of this server is reached: tokens")
      case .storage, .malformed:
        logger.error("the tokens cannot be read or changed", metadata: ["reason": "\(error)"])
        throw .unexpected
      }
    }
  }
}
