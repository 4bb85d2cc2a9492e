package import ChatEngine
import EngineKit
import EventSourcing
package import HTTPKit
import HTTPTypes
import Hummingbird
import JSONEnvelope

/// What agents find by its words.
extension AgentRoutes {
  private static let limits = EngineLimits()
  private static let limitDefault = 20

  static let search = Operation<AgentRoutes>(
    .get, "/agent/1/search", "searchChats", "Find what was said",
    about: """
      In chats that one sees, live and over: what customers and agents have said, names of files, private notes, subjects \
      and customers' names. All words have to be in one of these, in any order, the last word as a beginning; case, \
      accents and width do not matter. The newest comes first. What is said is found within a second. The index is made \
      anew when the server starts, the newest chats first: `complete` is false meanwhile.
      """, access: .agent,
    parameters: [
      .requiredQuery("q", "The words.", .text(1...256)),
      .query(
        "limit", "At most so many.",
        APISchema.integer(1...limits.searchHitsMaximum).byDefault(.integer(Int64(limitDefault)))),
      .query("cursor", "Where it goes on: `next` of the answer before, which is also in its `Link`."),
    ],
    answers: [.page("What was found.", found)], failures: [400, 404]
  ) { routes, token, request, _ in try await routes.search(token, request) }

  private func search(_ token: AccessToken, _ request: Request) async throws -> Response {
    let parameters = try ListQuery.known(request, ["q", "limit", "cursor"])
    guard let words = parameters["q"] else { throw EdgeFailure.missingParameter("q") }
    let limit = try Self.number("limit", in: 1...Self.limits.searchHitsMaximum, of: parameters) ?? Self.limitDefault
    let page = try await agents.search.find(words, limit: limit, after: parameters["cursor"], for: token.viewer)
    return .json(adding: parameters.link(request.uri.path, "cursor", next: page.next)) { json in
      json.object { answer in
        answer.objects("hits", page.hits) { Self.write($0, into: &$1) }
        answer.member("next", page.next)
        answer.member("complete", page.gap == nil)
        answer.member("gap", page.gap?.rawValue)
      }
    }
  }

  private static func write(_ hit: SearchHit, into object: inout JSONObjectWriter) {
    object.member("chatId", hit.chatID)
    object.member("customer", hit.customer)
    object.member("subject", hit.subject)
    object.member("match", hit.match.rawValue)
    object.member("position", hit.position)
    object.member("visibility", hit.isPrivate ? "agent" : "all")
    object.member("time", hit.time.iso8601)
    object.member("text", hit.text)
  }

  private static let found = APISchema.object([
    .required("hits", .list(of: .named("SearchHit"), 0...limits.searchHitsMaximum)),
    .required("next", APISchema.text.orNull, "What to give as `cursor` to go on; null: there is nothing more."),
    .required("complete", .bool, "False: there may be more than is found."),
    .required(
      "gap", APISchema.either(.oneOf(SearchPage.Gap.allCases.map(\.rawValue)), APISchema(["type": "null"])),
      "Why: `building`, the server has just started; `full`, the index has no room for the oldest lines."),
  ])

  static let hit = APISchema.object([
    .required("chatId"), .required("customer", .text, "The customer's nickname."), .required("subject"),
    .required("match", .oneOf(SearchHit.Match.allCases.map(\.rawValue)), "What of the chat has the words."),
    .required("position", APISchema.integer.orNull, "Of the event; null for a private note, a subject, a name."),
    .required("visibility", .oneOf("all", "agent"), "Who sees it."),
    .required("time", .time, "When it was said; of subject and name when the chat began."),
    .required(
      "text", .text, "A piece of it of at most \(limits.searchClipBytes) bytes, with `…` where something is left out."),
  ])
}

extension SearchRefusal: EdgeRefusal {
  package var failure: EdgeFailure {
    EdgeFailure(.notFound, "Nobody searches here: search.enabled is off", exception: "NotFoundException")
  }
}
