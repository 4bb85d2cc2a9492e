import EdgeSecurity
import Engine
import HTTPTypes
import JSONEnvelope
import SupportDomain

/// Requests on both sides of the desk. Spec: support requests 8; Zendesk's Requests, Tickets and Ticket Comments API.
extension APISurface {
  static let supportDesk = APISurface(
    "support desk", "Requests for agents (there they are tickets), and apps and devices for operators.",
    desk(.agents, "/api/v2", "") + agents + operators)

  /// - Parameter suffix: keeps the operations of an alias apart.
  static func desk(_ desk: SupportDesk, _ prefix: String, _ suffix: String) -> [APIOperation] {
    let (one, many) = ("\(desk.one)", "\(desk.many)")
    let access = desk == .endUsers ? APIAccess.supportUser : .supportAgent
    let (path, name) = ("\(prefix)/\(many)", desk == .endUsers ? "SupportRequest" : "SupportTicket")
    let single = APISchema.object([.required(one, .named("SupportRequest")), .optional("users", SupportSchema.users)])
    let list = [
      APIMember.required(many, .list(of: .named("SupportRequest"))), .optional("users", SupportSchema.users),
      .required("count", .integer),
    ]
    let pages: [APIMember] = [
      .required("next_page", APISchema.text.orNull), .required("previous_page", APISchema.text.orNull),
    ]
    let filter = APIParameter.query("status", "Names of states with commas between.")
    let people: [APIParameter] =
      desk == .endUsers ? [] : [.query("requester_id", "Of this user."), .query("assignee_id", "Of this agent.")]
    return [
      .support(
        .get, path, "list\(name)s\(suffix)", "Newest first", access: access,
        parameters: [filter] + people + [.include, .page, .perPage],
        answers: [.tagged("One page.", .object(list + pages)), .unchanged], failures: [422]),
      .support(
        .post, path, "create\(name)\(suffix)", "Make one", access: access,
        budget: desk == .endUsers ? .requests : nil, parameters: [.include],
        body: .json(.object([.required(one, .named("SupportOrder"))])),
        answers: [.json(201, "It is made.", single, headers: [.required("Location")])], failures: [422]),
      .support(
        .get, "\(path)/show_many", "show\(name)s\(suffix)", "Those of these that there are", access: access,
        parameters: [
          .query("tokens", "Numbers, as the SDK has stored them, with commas between."),
          .query("ids", "The same by the documented name."), .include,
        ], answers: [.tagged("Those that the asker may see.", .object(list)), .unchanged], failures: [422]),
      .support(
        .get, "\(path)/{id}", "get\(name)\(suffix)", "One", access: access, parameters: [.supportRequest, .include],
        answers: [.tagged("That one.", single), .unchanged], failures: [404]),
      .support(
        .put, "\(path)/{id}", "update\(name)\(suffix)", "Change it, or add a comment",
        about: desk == .endUsers ? "End users may comment, and say that it is solved." : nil,
        access: access,
        parameters: [.supportRequest, .include], body: .json(.object([.required(one, SupportSchema.update)])),
        answers: [.json(200, "As it is now.", single)], failures: [404, 422]),
      .support(
        .get, "\(path)/{id}/comments", "list\(name)Comments\(suffix)", "Oldest first, with who wrote them",
        access: access,
        parameters: [
          .supportRequest,
          .query("since", "Made after this, as `created_at` shows it: in whole seconds.", .time),
          .query("role", "By this side only.", .oneOf("agent", "end_user")),
          .query("device", "The identifier of one's device, which has read them now."), .page, .perPage,
        ] + (desk == .agents ? [APIParameter.query("include", "`users`: who wrote them.")] : []),
        answers: [
          .tagged(
            "One page.",
            .object(
              [
                .required("comments", .list(of: .named("SupportComment"))),
                desk == .endUsers
                  ? APIMember.required("users", SupportSchema.users) : .optional("users", SupportSchema.users),
                .required("count", .integer),
              ] + pages)), .unchanged,
        ], failures: [404, 422]),
    ]
  }

  // MARK: Agents and operators

  private static let agents = [
    APIOperation(
      .get, "/agent/1/requests", "listRequestWork", "Requests, newest first", access: .agent,
      parameters: APIParameter.listed(
        [
          .query(
            "state", "waiting: nobody has answered yet; own: assigned to the asker.",
            APISchema.oneOf("waiting", "own", "all").byDefault("all"))
        ], upTo: EngineLimits().agentListMaximum),
      answers: [.page("Those requests.", of: .named("SupportRequest"))], failures: [400]),
    APIOperation(
      .post, "/agent/1/chats/{chat}/request", "makeRequestOfChat", "Make a request of a chat", access: .agent,
      parameters: [.path("chat", "The chat's id.")],
      body: .json(.object([.optional("subject"), .optional("comment", SupportSchema.draft)]), isRequired: false),
      answers: [.json(201, "It refers to the chat's transcript.", .named("SupportRequest"))],
      failures: [400, 404, 415, 422]),
  ]

  private static let operators = [
    APIOperation(
      .get, "/admin/1/support/apps", "listSupportApps", "Apps, with how many devices they have", access: .admin,
      parameters: APIParameter.listed(upTo: EngineLimits().listMaximum),
      answers: [.page("URLs are masked.", of: .named("SupportApp"))], failures: [400]),
    APIOperation(
      .put, "/admin/1/support/apps/{client}/webhook", "setSupportWebhook", "Where notifications are posted",
      access: .admin, parameters: [client],
      body: .json(
        .object([
          .required("url", .text(8...1_900)),
          .optional("random", .bool, "A path component that nobody can guess is appended."), overlap,
        ])), answers: [whole], failures: [400, 404, 415, 422]),
    APIOperation(
      .post, "/admin/1/support/apps/{client}/webhook/rotate", "rotateSupportWebhook", "A new random component",
      access: .admin, parameters: [client], body: .json(.object([overlap]), isRequired: false), answers: [whole],
      failures: [400, 404, 415, 422]),
    APIOperation(
      .delete, "/admin/1/support/apps/{client}/webhook", "clearSupportWebhook", "Back to the configured URL",
      access: .admin, parameters: [client], answers: [.json(200, "The app.", .named("SupportApp"))], failures: [404]),
    APIOperation(
      .get, "/admin/1/support/users/{id}/devices", "listSupportDevices",
      "A user's devices, ended ones too",
      access: .admin,
      parameters: APIParameter.listed(
        [.path("id", "The user's number.", .text(pattern: "^[0-9]{1,18}$"))], upTo: EngineLimits().listMaximum),
      answers: [
        .json(
          200, "In the order of their ids. If there is more, the header `Link` says where it is (`rel=\"next\"`).",
          .list(
            of: .object(
              .named("SupportDevice"),
              and: [
                .required("client_id"),
                .required("stale", .bool, "Registered for another integration than the app's present one."),
                .optional("ended_reason"), .optional("ended_at", .time),
              ])))
      ], failures: [400, 404]),
  ]

  private static let client = APIParameter.path("client", "The app's client id.")

  private static let overlap = APIMember.optional(
    "overlap_seconds",
    .integer(0...EdgeLimits.webhookOverlap.maximum).byDefault(.integer(Int64(EdgeLimits.webhookOverlap.standard))),
    "How long the receiver is to take the URL before it.")

  private static let whole = APIAnswer.json(200, "Here, and here only, the URLs are whole.", .named("SupportApp"))
}
