import ChatDomain
import JSONEnvelope
import Testing

@testable import ChatAPI
@testable import HTTPEdge

@Suite("The figures of a day over HTTP", .timeLimit(.minutes(5)))
struct FigureApiTests {
  private static let path = "/agent/1/figures"
  private static let titles =
    "date,of,name,begun,handled,abandoned,firstAnswerP50,firstAnswerP90,handlingP50,handlingP90"

  /// A chat that an agent of that name has answered.
  private func answer(_ desk: DeskRig, _ service: String, by name: String) async throws {
    let agent = try await desk.requests(try desk.token(name))
    let chat = "/agent/1/chats/\(try await desk.chat(of: service))"
    #expect(try await agent.call("POST", chat + "/join", #"{"nickname":"K"}"#).status == 200)
    #expect(try await agent.call("POST", chat + "/messages", #"{"text":"Hello"}"#).status == 200)
  }

  @Test("supervisors see those of their services, operators all; as JSON and as CSV")
  func figures() async throws {
    try await DeskRig.run { desk in
      try await answer(desk, "sales", by: #"=HYPERLINK("a")"#)
      _ = try await desk.chat(of: "help")
      let ops = try await desk.requests(try desk.token("ops", .admin))
      let half = try await desk.requests(try desk.token("half", .supervisor, services: ["help"]))
      let day = try await ops.json("GET", Self.path)
      #expect(day["complete"] == true && day["total"]?["begun"] == 2 && day["total"]?["handled"] == 1)
      #expect(day["total"]?["abandoned"] == 0 && day["total"]?["handling"]?.isNull == true)
      #expect(day["total"]?["firstAnswer"]?["p50"]?.integer != nil)
      #expect(day["services"]?.array?.map { $0["service"] } == ["help", "sales"])
      #expect(day["agents"]?.array?.count == 1 && day["agents"]?[0]?["agentId"] == #"=HYPERLINK("a")"#)
      #expect(day["agents"]?[0]?["begun"] == nil && day["hours"]?.array?.count == 24)
      let date = try #require(day["date"]?.string)
      #expect(try await half.json("GET", "\(Self.path)?date=\(date)")["total"]?["begun"] == 1)
      #expect(try await half.json("GET", "\(Self.path)?service=sales")["total"]?["begun"] == 0)
      #expect(try await ops.json("GET", "\(Self.path)?service=sales")["total"]?["begun"] == 1)
      #expect(try await ops.json("GET", "\(Self.path)?date=2001-01-01")["total"]?["begun"] == 0)

      let saved = try await ops.call("GET", "\(Self.path).csv?date=\(date)")
      #expect(saved.header("Content-Type") == "text/csv; charset=utf-8")
      #expect(saved.header("Content-Disposition") == "attachment; filename=\"figures-\(date).csv\"")
      let lines = saved.body.split(separator: "\r\n", omittingEmptySubsequences: false)
      #expect(lines.count == 1 + 1 + 2 + 1 + 24 + 1 && lines[0] == Self.titles && lines.last == "")
      #expect(lines[1].hasPrefix("\(date),all,,2,1,0,") && lines[2] == "\(date),service,help,1,0,0,,,,")
      #expect(lines[4].hasPrefix(#"\#(date),agent,"'=HYPERLINK(""a"")",,1,,"#))
      let accepted = try await ops.call("GET", Self.path, headers: "Accept: text/csv\r\n")
      #expect(accepted.header("Content-Type") == "text/csv; charset=utf-8")
      let both = try await ops.call("GET", Self.path, headers: "Accept: application/json, text/csv;q=0.5\r\n")
      #expect(both.header("Content-Type")?.hasPrefix("application/json") == true)
    }
  }

  @Test("nobody else gets them, and what is no day is refused")
  func refusals() async throws {
    try await DeskRig.run { desk in
      let boss = try await desk.requests(try desk.token("boss", .supervisor))
      for path in [Self.path, Self.path + ".csv"] {
        for (role, status) in [(TokenRole.agent, 403), (.bot, 403), (.publisher, 403)] {
          let caller = try await desk.requests(try desk.token("\(role) \(path)", role))
          #expect(try await caller.call("GET", path).status == status, "\(role)")
        }
        #expect(try await CallbackCaller(client: try await desk.server.connect()).call("GET", path).status == 401)
        for query in [
          "?date=2026-02-30", "?date=today", "?date=2026-02-11T00:00:00Z", "?date=2026-02-11&date=2026-02-12", "?day=x",
          "?date=%00", "?service=a&service=b",
        ] {
          let answer = try await boss.call("GET", path + query)
          #expect(answer.status == 400, "\(query)")
          #expect(answer.body.contains("'d") || answer.body.contains("'service'"), "\(query)")
        }
        #expect(try await boss.call("GET", path + "?date=&service=").status == 200)
        #expect(try await boss.call("GET", path + "?date=9999-12-31&service=nowhere").status == 200)
      }
    }
  }

  @Test(
    "a cell is no formula, and one cell",
    arguments: [
      ("sales", "sales"), ("", ""), ("=1+1", "'=1+1"), ("+1", "'+1"), ("-1", "'-1"), ("@x", "'@x"), ("\tx", "'\tx"),
      ("a,b", "\"a,b\""), ("a\"b", "\"a\"\"b\""), ("a\nb", "\"a\nb\""), ("=a,b", "\"'=a,b\""), ("a=b", "a=b"),
      ("\r\n=x", "\"'\r\n=x\""), ("'=x", "'=x"), ("=\u{301}x", "'=\u{301}x"),
      ("a\"\u{301},=1", "\"a\"\"\u{301},=1\""),
    ])
  func cells(text: String, cell: String) {
    #expect(FigureRendering.cell(text) == cell)
  }
}
