import EventSourcing
import HTTPKit
import HTTPTypes
import Hummingbird
import JSONEnvelope
import SupportDomain
import SupportEngine

/// Requests and their comments: for end users as requests, for agents as tickets. Spec: support requests 8.
///
/// | | |
/// |---|---|
/// | `GET …?status=&include=&page=&per_page=` | newest first; end users see their own |
/// | `POST …` `{"request":{"subject","comment":{"body","uploads"},…}}` | makes one: 201 |
/// | `GET …/show_many?tokens=` | those of these that there are |
/// | `GET …/{id}`, `PUT …/{id}` | one; changes it, or adds a comment |
/// | `GET …/{id}/comments?since=&role=&device=&page=&per_page=` | oldest first, with who wrote them (tickets: with
/// `include=users`) |
struct SupportRequestRoutes: SupportBearerRoutes {
  let desk: SupportDesk
  let support: SupportService
  let access: SupportAccess
  let limits: EdgeLimits
  let address: PublicAddress

  // MARK: Reading

  func list(
    _ request: Request, _ context: EdgeRequestContext, for actor: SupportActor
  ) async throws -> Response {
    let parameters = try request.queryParameters()
    let page = try SupportPage(parameters)
    let (views, count) = try await support.requests(
      try SupportQuery(parameters, page, at: desk), for: actor)
    let base = address.origin(request, context)
    let users = await users(of: views, parameters.includes, for: actor)
    return .conditional(request) { list in
      write(views, users, parameters.includes, base, into: &list)
      page.write(count: count, url: request.url(base: base), parameters, into: &list)
    }
  }

  func showMany(
    _ request: Request, _ context: EdgeRequestContext, for actor: SupportActor
  ) async throws -> Response {
    let parameters = try request.queryParameters()
    let name = parameters["tokens"] == nil ? "ids" : "tokens"
    let ids = parameters.list(name)
    guard !ids.isEmpty else { throw SupportFailure.missing(field: name) }
    guard ids.count <= EdgeLimits.supportShownMaximum else {
      throw EdgeFailure.tooMany("requests a call", limit: EdgeLimits.supportShownMaximum)
    }
    // What is no number is no request either.
    let views = try await support.requests(numbers: ids.compactMap { Int64($0) }, for: actor)
    let base = address.origin(request, context)
    let users = await users(of: views, parameters.includes, for: actor)
    return .conditional(request) { list in
      write(views, users, parameters.includes, base, into: &list)
      list.member("count", views.count)
    }
  }

  func show(
    _ request: Request, _ context: EdgeRequestContext, for actor: SupportActor
  ) async throws -> Response {
    let parameters = try request.queryParameters()
    let view = try await support.request(try Self.number(context), for: actor)
    let users = await users(of: [view], parameters.includes, for: actor)
    return .conditional(request) {
      write(view, users, parameters.includes, address.origin(request, context), into: &$0)
    }
  }

  func comments(
    _ request: Request, _ context: EdgeRequestContext, for actor: SupportActor
  ) async throws -> Response {
    let parameters = try request.queryParameters()
    let page = try SupportPage(parameters)
    let list = try await support.comments(
      of: try Self.number(context), since: try Self.since(parameters), role: try Self.role(parameters),
      readOn: parameters["device"], for: actor)
    let base = address.origin(request, context)
    let comments = page.slice(of: list.comments)
    let authors = Set(comments.map(\.author))
    return .conditional(request) { answer in
      answer.objects("comments", comments) {
        SupportRendering.comment($0, of: list.request.number, base: base, into: &$1)
      }
      // The SDK reads them; a helpdesk's client takes them only where it has asked for them.
      if desk == .endUsers || parameters.includes.contains("users") {
        Self.write(list.users.filter { authors.contains($0.number) }, into: &answer)
      }
      page.write(count: list.comments.count, url: request.url(base: base), parameters, into: &answer)
    }
  }

  // MARK: Writing

  func create(
    _ request: Request, _ context: EdgeRequestContext, by actor: SupportActor
  ) async throws -> Response {
    let form = try await SupportForm(request, limits: limits)
    let order = try SupportRequestOrder(try form.record("\(desk.one)"), at: desk)
    return try await answer(
      try await support.create(order, by: actor), status: .created, to: request, context, for: actor)
  }

  func update(
    _ request: Request, _ context: EdgeRequestContext, by actor: SupportActor
  ) async throws -> Response {
    let number = try Self.number(context)
    let form = try await SupportForm(request, limits: limits)
    let update = try SupportUpdate(try form.record("\(desk.one)"), at: desk)
    return try await answer(
      try await support.update(number, update, by: actor), status: .ok, to: request, context, for: actor)
  }

  private func answer(
    _ view: SupportRequestView, status: HTTPResponse.Status, to request: Request, _ context: EdgeRequestContext,
    for actor: SupportActor
  ) async throws -> Response {
    let includes = try request.queryParameters().includes
    let base = address.origin(request, context)
    let users = await users(of: [view], includes, for: actor)
    let place = "\(base)/api/v2/\(desk.many)/\(view.number)\(SupportTarget.format)"
    return .object(status: status, adding: status == .created ? [.location: place] : [:]) {
      write(view, users, includes, base, into: &$0)
    }
  }

  // MARK: Rendering

  /// Everybody whom the requests name; nil unless they are asked for.
  private func users(
    of views: [SupportRequestView], _ includes: Set<String>, for actor: SupportActor
  ) async -> [SupportUserView]? {
    guard includes.contains("users") else { return nil }
    let numbers = Set(views.flatMap { [$0.terms.requester] + $0.commentingAgents + ($0.assignee.map { [$0] } ?? []) })
    return await support.users(numbers.sorted(), for: actor.role)
  }

  private func write(
    _ view: SupportRequestView, _ users: [SupportUserView]?, _ includes: Set<String>, _ base: String,
    into object: inout JSONObjectWriter
  ) {
    object.object(desk.one) {
      SupportRendering.request(view, includes: .named(includes), for: desk.role, base: base, into: &$0)
    }
    if let users { Self.write(users, into: &object) }
  }

  private func write(
    _ views: [SupportRequestView], _ users: [SupportUserView]?, _ includes: Set<String>, _ base: String,
    into list: inout JSONObjectWriter
  ) {
    list.objects(desk.many, views) {
      SupportRendering.request($0, includes: .named(includes), for: desk.role, base: base, into: &$1)
    }
    if let users { Self.write(users, into: &list) }
  }

  private static func write(_ users: [SupportUserView], into object: inout JSONObjectWriter) {
    object.objects("users", users) { SupportRendering.user($0, into: &$1) }
  }

  // MARK: Parts of requests

  /// A text that is no number names no request.
  static func number(_ context: EdgeRequestContext) throws -> Int64 {
    guard let number = Int64(try context.parameters.require("id")), number > 0 else { throw SupportFailure.notFound }
    return number
  }

  private static func since(_ parameters: RequestParameters) throws(SupportFailure) -> Timestamp? {
    guard let text = parameters["since"] else { return nil }
    guard let time = Timestamp(iso8601: text) else {
      throw .invalid(field: "since", reason: "is not a date like 2026-11-20T22:45:00Z")
    }
    return time
  }

  private static func role(_ parameters: RequestParameters) throws(SupportFailure) -> SupportRole? {
    guard let text = parameters["role"] else { return nil }
    guard let role = SupportRole(name: text) else { throw .invalid(field: "role", reason: "is not agent or end_user") }
    return role
  }
}

extension SupportDesk {
  fileprivate var role: SupportRole { self == .endUsers ? .endUser : .agent }
}

extension Set<SupportRendering.Include> {
  static func named(_ names: Set<String>) -> Self { Set(names.compactMap(SupportRendering.Include.init(rawValue:))) }
}
