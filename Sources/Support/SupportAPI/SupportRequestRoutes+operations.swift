import EdgeSecurity
import HTTPKit
import HTTPTypes
import JSONEnvelope
import SupportEngine

/// Requests on both sides of the desk. Spec: support requests 8; Zendesk's Requests, Tickets and Ticket Comments API.
extension SupportRequestRoutes {
  /// - Parameter suffix: keeps the operations of an alias apart.
  static func operations(
    _ desk: SupportDesk, _ prefix: String, _ suffix: String
  ) -> [Operation<SupportRequestRoutes>] {
    let (one, many) = ("\(desk.one)", "\(desk.many)")
    let access = access(to: desk)
    let (path, name) = ("\(prefix)/\(many)", desk == .endUsers ? "SupportRequest" : "SupportTicket")
    let single = APISchema.object([.required(one, .named("SupportRequest")), .optional("users", SupportSchema.users)])
    let list = [
      APIMember.required(many, .list(of: .named("SupportRequest"))), .optional("users", SupportSchema.users),
      .required("count", .integer),
    ]
    let filter = APIParameter.query("status", "Names of states with commas between.")
    let people: [APIParameter] =
      desk == .endUsers ? [] : [.query("requester_id", "Of this user."), .query("assignee_id", "Of this agent.")]
    return [
      .support(
        .get, path, "list\(name)s\(suffix)", "Newest first", access: access,
        parameters: [filter] + people + [.include, .page, .perPage],
        answers: [.tagged("One page.", .object(list + pages)), .unchanged], failures: [422]
      ) { try await $0.list($2, $3, for: $1) },
      .support(
        .post, path, "create\(name)\(suffix)", "Make one", access: access,
        budget: desk == .endUsers ? .requests : nil, parameters: [.include],
        body: .json(.object([.required(one, .named("SupportOrder"))])),
        answers: [.json(201, "It is made.", single, headers: [.required("Location")])], failures: [422]
      ) { try await $0.create($2, $3, by: $1) },
      .support(
        .get, "\(path)/show_many", "show\(name)s\(suffix)", "Those of these that there are", access: access,
        parameters: [
          .query("tokens", "Numbers, as the SDK has stored them, with commas between."),
          .query("ids", "The same by the documented name."), .include,
        ], answers: [.tagged("Those that the asker may see.", .object(list)), .unchanged], failures: [422]
      ) { try await $0.showMany($2, $3, for: $1) },
      .support(
        .get, "\(path)/{id}", "get\(name)\(suffix)", "One", access: access, parameters: [.supportRequest, .include],
        answers: [.tagged("That one.", single), .unchanged], failures: [404]
      ) { try await $0.show($2, $3, for: $1) },
      .support(
        .put, "\(path)/{id}", "update\(name)\(suffix)", "Change it, or add a comment",
        about: desk == .endUsers ? "End users may comment, and say that it is solved." : nil,
        access: access,
        parameters: [.supportRequest, .include], body: .json(.object([.required(one, SupportSchema.update)])),
        answers: [.json(200, "As it is now.", single)], failures: [404, 422]
      ) { try await $0.update($2, $3, by: $1) },
      comments(desk, path, "list\(name)Comments\(suffix)"),
    ]
  }

  private static func comments(
    _ desk: SupportDesk, _ path: String, _ id: String
  ) -> Operation<SupportRequestRoutes> {
    .support(
      .get, "\(path)/{id}/comments", id, "Oldest first, with who wrote them",
      access: access(to: desk),
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
      ], failures: [404, 422]
    ) { try await $0.comments($2, $3, for: $1) }
  }

  private static func access(to desk: SupportDesk) -> Admission<SupportRequestRoutes, SupportActor> {
    desk == .endUsers ? .supportUser : .supportAgent
  }

  private static let pages: [APIMember] = [
    .required("next_page", APISchema.text.orNull), .required("previous_page", APISchema.text.orNull),
  ]
}
