import ChatDomain
package import ChatEngine
import EngineKit
package import HTTPKit
import HTTPTypes
import Hummingbird
import JSONEnvelope

/// Figures for supervisors and operators.
package struct FigureRoutes: TokenRoutes {
  private let figures: FigureService
  package let tokens: TokenStore

  package init(figures: FigureService, tokens: TokenStore) {
    self.figures = figures
    self.tokens = tokens
  }

  package static let surface = RoutedSurface<FigureRoutes>(
    "figures",
    """
    What became of the chats of a day, in UTC, for supervisors (of the services of their token) and operators. They are \
    read off the chats themselves, and are the same after a restart. A chat counts on the day, and in the hour, in which it \
    began; for the service whose agents it is for; handled once an agent, a supervisor or a bot has said a word; abandoned \
    if its customer, or the end of its life, has ended it before that. An agent has the chats that they were the first to \
    answer. Times are whole seconds: half of the chats took at most `p50`, nine of ten at most `p90`. A chat counts as long \
    as it is kept: its `_ttl` long after its last use.
    """,
    [
      Operation(
        .get, "/agent/1/figures", "getFigures", "The figures of a day",
        about: "As CSV to whoever accepts `text/csv` and no JSON. " + limit, access: .staff, parameters: parameters,
        answers: [APIAnswer(200, "The figures.", [(MediaType.json, .named("DayFigures")), ("text/csv", .text)])],
        failures: [400, 403]
      ) { routes, token, request, _ in try await routes.get(token, request) },
      Operation(
        .get, "/agent/1/figures.csv", "getFiguresAsCSV", "The figures of a day, to be saved",
        about: """
          A line each for all, services, agents and hours. A name that a spreadsheet would take for a formula has an \
          apostrophe before it. \(limit)
          """, access: .staff, parameters: parameters,
        answers: [
          APIAnswer(200, "The figures.", [("text/csv", .text)], headers: [.required("Content-Disposition")])
        ], failures: [400, 403]
      ) { routes, token, request, _ in try await routes.getCSV(token, request) },
    ], schemas: [("DayFigures", dayFigures), ("Figures", one)])

  private static let limit =
    "With more than \(FigureService.chatsMaximum) chats on one day 503: ask service by service."

  private static let parameters: [APIParameter] = [
    .query("date", "The day; today if absent.", .text(pattern: "^[0-9]{4}-[0-9]{2}-[0-9]{2}$").example("2026-02-11")),
    .ofService,
  ]

  private static let times = APISchema.object([.required("p50", .integer), .required("p90", .integer)]).orNull

  private static let answered: [APIMember] = [
    .required("handled", .integer), .required("firstAnswer", times, "From the start to the first word of an agent."),
    .required("handling", times, "From the first agent's coming to the end, of those that were handled and are over."),
  ]

  private static let one = APISchema.object(
    [.required("begun", .integer), .required("abandoned", .integer)] + answered)

  private static let dayFigures = APISchema.object([
    .required("date"),
    .required("complete", .bool, "No chat of that day can be gone yet, as the services' `_ttl` stands."),
    .required("total", .named("Figures")),
    .required("services", .list(of: .object(.named("Figures"), and: [.required("service")]))),
    .required("agents", .list(of: .object([.required("agentId")] + answered))),
    .required("hours", .list(of: .object(.named("Figures"), and: [.required("hour", .integer(0...23))]), 24...24)),
  ])

  // MARK: Answers

  func get(_ token: AccessToken, _ request: Request) async throws -> Response {
    let wants = request.headers[.accept]?.lowercased() ?? ""
    if wants.contains("text/csv"), !wants.contains("json") { return try await getCSV(token, request) }
    let day = try await day(token, request)
    return .object { FigureRendering.write(day, into: &$0) }
  }

  func getCSV(_ token: AccessToken, _ request: Request) async throws -> Response {
    let day = try await day(token, request)
    return Response(
      status: .ok,
      headers: [
        .contentType: "text/csv; charset=utf-8", .cacheControl: "no-cache, no-store",
        .contentDisposition: "attachment; filename=\"figures-\(day.report.day.text).csv\"",
      ], body: ResponseBody(byteBuffer: ByteBuffer(string: FigureRendering.csv(day))))
  }

  private func day(_ token: AccessToken, _ request: Request) async throws -> DayFigures {
    guard token.role == .supervisor || token.role == .admin else {
      throw EdgeFailure.forbidden("Figures are for supervisors and operators")
    }
    let query = try ListQuery(ofResource: request, ["date", "service"])
    let day = try query["date"].map { text throws(EdgeFailure) in
      guard let day = FigureDay(text) else { throw .badParameter("date", "is not a day as 2026-02-11") }
      return day
    }
    return try await figures.report(of: day, service: query["service"], for: token.overseer)
  }
}

extension AccessToken {
  /// An operator oversees every service.
  fileprivate var overseer: AgentViewer {
    role == .admin ? AgentViewer(id: name, isSupervisor: true) : viewer
  }
}
