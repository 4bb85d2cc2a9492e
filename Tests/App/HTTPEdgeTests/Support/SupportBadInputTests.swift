import Engine
import HTTPTypes
import JSONEnvelope
import SupportDomain
import Testing

@testable import HTTPEdge

@Suite("Support: requests that cannot be used", .timeLimit(.minutes(5)))
struct SupportBadInputTests {
  @Test(
    "a request that cannot be made names the member that is to blame",
    arguments: [
      ("{}", "request"), (#"{"request":[]}"#, "request"), (#"{"request":{"subject":"x"}}"#, "comment"),
      (#"{"request":{"comment":"text"}}"#, "comment"), (#"{"request":{"comment":{}}}"#, "comment.body"),
      (#"{"request":{"comment":{"body":" \n"}}}"#, "comment.body"),
      (#"{"request":{"comment":{"body":7}}}"#, "comment.body"),
      (#"{"request":{"comment":{"body":"x","uploads":"t"}}}"#, "comment.uploads"),
      (#"{"request":{"comment":{"body":"x","uploads":["a",1]}}}"#, "comment.uploads[1]"),
      (#"{"request":{"comment":{"body":"x","uploads":["a"]}}}"#, "comment.uploads[0]"),
      (#"{"request":{"comment":{"body":"x"},"subject":1}}"#, "subject"),
      (#"{"request":{"comment":{"body":"x"},"tags":"a"}}"#, "tags"),
      (#"{"request":{"comment":{"body":"x"},"tags":[true]}}"#, "tags[0]"),
      (#"{"request":{"comment":{"body":"x"},"custom_fields":{}}}"#, "custom_fields"),
      (#"{"request":{"comment":{"body":"x"},"custom_fields":[{"value":1}]}}"#, "custom_fields[0]"),
      (#"{"request":{"comment":{"body":"x"},"ticket_form_id":"x"}}"#, "ticket_form_id"),
      (#"{"request":{"comment":{"body":"x"},"ticket_form_id":0}}"#, "ticket_form_id"),
      (#"{"request":{"comment":{"body":"x"},"metadata":[]}}"#, "metadata"),
    ])
  func create(body: String, field: String) async throws {
    try await SupportRig.run { rig in
      let user = try await rig.user("1")
      let answer = try await user.call("POST", "/api/mobile/requests.json", body)
      #expect(answer.status == 422 && answer.error == "RecordInvalid")
      #expect(answer.json["description"] == "Record validation errors")
      #expect(answer.json["details"]?.object?.names == [field])
      #expect(answer.json["details"]?[field]?[0]?["description"]?.string?.isEmpty == false)
      #expect(try await user.call("GET", "/api/v2/requests").json["count"] == 0)
    }
  }

  @Test("a comment may have 65,536 bytes, and not one more")
  func size() async throws {
    try await SupportRig.run { rig in
      let user = try await rig.user("1")
      // Two bytes each in the body: the bound is on the text, not on how it is written.
      let text = String(repeating: "\\n", count: 65_535) + "x"
      let fits = try await user.call(
        "POST", "/api/v2/requests", #"{"request":{"subject":"s","comment":{"body":"\#(text)"}}}"#)
      #expect(fits.status == 201)
      let refused = try await user.call(
        "PUT", "/api/v2/requests/1", #"{"request":{"comment":{"body":"\#(text)y"}}}"#)
      #expect(refused.status == 422 && refused.json["details"]?.object?.names == ["comment.body"])
    }
  }

  @Test(
    "a query that cannot be used names its parameter",
    arguments: [
      ("?status=new,odd", "status"), ("?page=0", "page"), ("?page=x", "page"), ("?per_page=-1", "per_page"),
      ("/1/comments?since=yesterday", "since"), ("/1/comments?role=boss", "role"), ("/show_many", "ids"),
      ("/show_many?tokens=", "tokens"), ("/1/comments?device=%09", "device"),
    ])
  func queries(query: String, field: String) async throws {
    try await SupportRig.run { rig in
      let user = try await rig.user("1")
      _ = try await user.ask("one")
      let answer = try await user.call("GET", "/api/v2/requests\(query)")
      #expect(answer.status == 422)
      #expect(answer.json["details"]?.object?.names == [field])
    }
  }

  @Test("more pages, more on a page and more ids than there can be")
  func bounds() async throws {
    try await SupportRig.run { rig in
      let user = try await rig.user("1")
      #expect(try await user.call("GET", "/api/v2/requests?per_page=1000").status == 200)
      #expect(try await user.call("GET", "/api/v2/requests?page=2147483647&per_page=100").status == 200)
      let ids = (1...101).map(String.init).joined(separator: ",")
      let refused = try await user.call("GET", "/api/mobile/requests/show_many.json?tokens=\(ids)")
      #expect(refused.status == 422 && refused.error == "too_many" && refused.json["limit"] == 100)
    }
  }

  @Test(
    "what no handler gets is answered in the same dialect",
    arguments: [
      ("DELETE", "/api/v2/requests.json", 405, "MethodNotAllowed"), ("GET", "/access/sdk/jwt", 405, "MethodNotAllowed"),
      ("PATCH", "/api/mobile/requests/1.json", 405, "MethodNotAllowed"),
      ("GET", "/api/v2/organizations.json", 404, "RecordNotFound"), ("GET", "/api", 404, "RecordNotFound"),
      ("GET", "/attachments/token/none/", 404, "RecordNotFound"),
      ("PROPFIND", "/api/v2/requests", 501, "NotImplemented"),
    ])
  func dialect(method: String, path: String, status: Int, error: String) async throws {
    try await SupportRig.run { rig in
      let answer = try await rig.user("1").call(method, path)
      #expect(answer.status == status && answer.error == error)
      #expect(answer.json["description"]?.string?.isEmpty == false && answer.json["message"] == nil)
      if status == 405 { #expect(answer.raw.header("Allow")?.contains("OPTIONS") == true) }
    }
  }

  @Test("bodies are JSON", arguments: ["/api/v2/requests", "/access/sdk/anonymous"])
  func mediaTypes(path: String) async throws {
    try await SupportRig.run { rig in
      let user = try await rig.user("1")
      for (type, body, status) in [
        ("text/plain", "{}", 415), ("application/x-www-form-urlencoded", "a=b", 415), ("application/json", "{", 400),
        ("application/json", "[]", 400), ("application/json; charset=utf-8", "{}", 422),
        ("application/vnd.api+json", "{}", 422),
        ("application/json", String(repeating: "[", count: 40) + String(repeating: "]", count: 40), 400),
      ] {
        #expect(try await user.call("POST", path, body, adding: [("Content-Type", type)]).status == status, "\(type)")
      }
    }
  }

  @Test("pages of other origins may ask, and say who they are")
  func crossOrigin() async throws {
    try await SupportRig.run(origins: .listed(["https://shop.example.com"])) { rig in
      let user = try await rig.user("1")
      let origin = [("Origin", "https://shop.example.com")]
      let answer = try await user.call("GET", "/api/v2/requests", adding: origin)
      #expect(answer.raw.header("Access-Control-Allow-Origin") == "https://shop.example.com")
      let preflight = try await user.call("OPTIONS", "/api/v2/requests", adding: origin)
      #expect(preflight.status == 204)
      #expect(preflight.raw.header("Access-Control-Allow-Headers")?.contains("client-identifier") == true)
    }
  }
}
