import JSONEnvelope
import Testing

@testable import HTTPEdge

@Suite("Support: files of comments", .timeLimit(.minutes(5)))
struct SupportFileTests {
  @Test("a file is uploaded, named by a comment, and fetched by whoever has its address")
  func life() async throws {
    try await SupportRig.run { rig in
      let user = try await rig.user("1")
      let bytes: [UInt8] = Array("<script>".utf8) + [0, 255]
      let uploaded = try await user.call(
        "POST", "/api/mobile/uploads.json?filename=crash%20log.html", bytes: bytes,
        adding: [("Content-Type", "text/html")])
      #expect(uploaded.status == 201)
      let token = try #require(uploaded.json["upload"]?["token"]?.string)
      let file = try #require(uploaded.json["upload"]?["attachment"])
      #expect(file["file_name"] == "crash log.html" && file["content_type"] == "text/html" && file["size"] == 10)
      #expect(file["content_url"] == .string("https://help.test/attachments/token/\(token)/?name=crash%20log.html"))
      #expect(file["inline"] == false && file["thumbnails"] == [] && uploaded.json["upload"]?["attachments"] == [file])

      let made = try await user.call(
        "POST", "/api/v2/requests?include=last_comment",
        #"{"request":{"comment":{"body":"See","uploads":["\#(token)"]}}}"#)
      #expect(made.json["request"]?["last_comment"]?["attachments"] == [file])
      let fetched = try await rig.stranger(app: nil).call("GET", "/attachments/token/\(token)/?name=crash%20log.html")
      #expect(fetched.status == 200 && fetched.raw.header("Content-Type") == "text/html")
      #expect(fetched.raw.header("X-Content-Type-Options") == "nosniff")
      #expect(fetched.raw.header("Content-Disposition") == "attachment; filename*=UTF-8''crash%20log.html")
      let tag = try #require(fetched.raw.header("ETag"))
      let again = try await user.call("GET", "/attachments/token/\(token)", adding: [("If-None-Match", tag)])
      #expect(again.status == 304)
    }
  }

  @Test("an upload can be taken back until a comment has it")
  func deletion() async throws {
    try await SupportRig.run { rig in
      let user = try await rig.user("1")
      func upload() async throws -> String {
        let answer = try await user.call("POST", "/api/v2/uploads?filename=a.txt", "text")
        return try #require(answer.json["upload"]?["token"]?.string)
      }
      let first = try await upload()
      #expect(try await user.call("DELETE", "/api/v2/uploads/\(first).json").status == 204)
      #expect(try await user.call("DELETE", "/api/v2/uploads/\(first)").status == 404)
      #expect(try await user.call("GET", "/attachments/token/\(first)/").status == 404)
      let refused = try await user.call(
        "POST", "/api/v2/requests", #"{"request":{"comment":{"body":"x","uploads":["\#(first)"]}}}"#)
      #expect(refused.status == 422 && refused.json["details"]?.object?.names == ["comment.uploads[0]"])
      let second = try await upload()
      let made = try await user.call(
        "POST", "/api/v2/requests", #"{"request":{"comment":{"body":"x","uploads":["\#(second)"]}}}"#)
      #expect(made.status == 201)
      // Soon after its comment is on the disk the file is the comment's: nobody else can take it, or delete it.
      try await until {
        try await user.call(
          "PUT", "/api/v2/requests/1", #"{"request":{"comment":{"body":"y","uploads":["\#(second)"]}}}"#
        ).status == 422
      }
      #expect(try await user.call("DELETE", "/api/v2/uploads/\(second)").status == 404)
      #expect(try await user.call("GET", "/attachments/token/\(second)/").body == "text")
    }
  }

  @Test(
    "a file without a name is refused, and one that is too large",
    arguments: [
      ("/api/v2/uploads", 4, 422), ("/api/v2/uploads?filename=", 4, 422), ("/api/v2/uploads?filename=a", 4_097, 413),
    ])
  func refusals(path: String, size: Int, status: Int) async throws {
    var limits = EdgeLimits()
    limits.bodyBytesMaximum = 1_024
    limits.storageBodyBytesMaximum = 4_096
    try await SupportRig.run(limits: limits) { rig in
      let user = try await rig.user("1")
      let bytes = [UInt8](repeating: 7, count: size)
      #expect(try await user.call("POST", path, bytes: bytes).status == status)
      if status == 413 { return }
      let large = [UInt8](repeating: 7, count: 4_096)
      #expect(try await user.call("POST", "/api/mobile/uploads.json?filename=a", bytes: large).status == 201)
    }
  }
}
