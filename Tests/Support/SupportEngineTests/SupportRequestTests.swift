import EntityRuntime
import EventSourcing
import SupportDomain
import SystemPackage
import Testing

@testable import Engine
@testable import EngineRigs
@testable import SupportEngine

@Suite("Support requests and their people", .timeLimit(.minutes(1)))
struct SupportRequestTests {
  @Test("a token opens its user also after a restart; the same person signs in as the same user")
  func tokens() async throws {
    let rig = try await SupportRig()
    let token = try await rig.support.signIn(anonymous: "guid-1", name: nil, email: nil, app: "demo")
    let actor = try #require(rig.support.endUser(bearing: token))
    let other = try await rig.support.signIn(anonymous: "guid-1", name: nil, email: nil, app: "demo")
    #expect(rig.support.endUser(bearing: other) == actor && other != token)
    #expect(try await rig.user("guid-2") != actor)
    let again = try await rig.restarted()
    #expect(again.support.endUser(bearing: token) == actor)
    #expect(again.support.endUser(bearing: token + "x") == nil)
    try await again.stop()
  }

  @Test("another name is another identity: devices and tokens end")
  func identityChanged() async throws {
    let rig = try await SupportRig()
    let token = try await rig.support.signIn(anonymous: "guid-1", name: nil, email: nil, app: "demo")
    let actor = try #require(rig.support.endUser(bearing: token))
    try await rig.register("abcd", by: actor)
    let fresh = try await rig.support.signIn(anonymous: "guid-1", name: "Ann", email: nil, app: "demo")
    #expect(rig.support.endUser(bearing: token) == nil)
    #expect(rig.support.endUser(bearing: fresh) == actor)
    #expect(try await rig.support.devices(of: actor.number).map(\.device.ending?.reason) == [.identityChanged])
    try await rig.stop()
  }

  @Test("a kind of identity that the app is not configured for fails every call")
  func mismatch() async throws {
    let rig = try await SupportRig()
    let ann = try await rig.user()
    try await rig.reload(["identity": "jwt"])
    await #expect(throws: SupportFailure.identityMismatch) { try await rig.user("guid-2") }
    await #expect(throws: SupportFailure.identityMismatch) { try await rig.request(by: ann) }
    await #expect(throws: SupportFailure.identityMismatch) { try await rig.register("abcd", by: ann) }
    await #expect(throws: SupportFailure.unknownApp) { try await rig.user(app: "nobody") }
    let token = try await rig.support.signIn(
      externalID: "7", name: "Ann", email: "ann@example.test", tokenID: "j-1", app: "demo")
    #expect(rig.support.endUser(bearing: token) != nil)
    await #expect(throws: SupportFailure.replayed) {
      try await rig.support.signIn(
        externalID: "7", name: "Ann", email: "ann@example.test", tokenID: "j-1", app: "demo")
    }
    let again = try await rig.restarted(options: ["identity": "jwt"])
    await #expect(throws: SupportFailure.replayed) {
      try await again.support.signIn(
        externalID: "7", name: "Ann", email: "ann@example.test", tokenID: "j-1", app: "demo")
    }
    try await again.stop()
  }

  @Test("1: registering cleans, twice is one device; unregistering finds it in any spelling, another's it does not")
  func devices() async throws {
    let rig = try await SupportRig()
    let (ann, bob) = (try await rig.user(), try await rig.user("guid-bob"))
    let first = try await rig.register("<AB cd>", by: ann)
    let second = try await rig.register("abcd", type: "iphone", by: ann)
    #expect(first.isNew && !second.isNew && first.view.id == second.view.id)
    await #expect(throws: SupportFailure.notFound) {
      try await rig.support.unregisterDevice(identifier: "abcd", by: bob)
    }
    try await rig.support.unregisterDevice(identifier: "<abcd>", by: ann)
    #expect(try await rig.liveDevices(of: ann) == [])
    await #expect(throws: SupportFailure.notFound) {
      try await rig.support.unregisterDevice(identifier: "abcd", by: ann)
    }
    try await rig.stop()
  }

  @Test("beyond the limit the device that was registered longest ago goes")
  func eviction() async throws {
    let rig = try await SupportRig(sections: ["support": ["devices_per_user": "2"]])
    let ann = try await rig.user()
    for token in ["aa", "bb"] {
      try await rig.register(token, by: ann)
      try await rig.advance(by: .seconds(1))
    }
    try await rig.register("aa", by: ann)
    try await rig.register("cc", by: ann)
    #expect(try await rig.liveDevices(of: ann) == ["aa", "cc"])
    try await rig.stop()
  }

  @Test(
    "what cannot be registered is refused by its field",
    arguments: [
      ("", "ios", nil, "identifier"), ("a\tb", "ios", nil, "identifier"), ("aa", "windows", nil, "device_type"),
      ("aa", "ios", "fax", "token_type"), (String(repeating: "a", count: 4_097), "ios", nil, "identifier"),
    ] as [(String, String, String?, String)])
  func badDevices(_ identifier: String, _ type: String, _ tokenType: String?, _ field: String) async throws {
    let rig = try await SupportRig()
    let ann = try await rig.user()
    do {
      try await rig.register(identifier, type: type, tokenType: tokenType, by: ann)
      Issue.record("it was registered")
    } catch SupportFailure.invalid(let named, _) {
      #expect(named == field)
    }
    try await rig.stop()
  }

  @Test("private notes are never seen by the requester: not counted, not last, not in the version")
  func privacy() async throws {
    let rig = try await SupportRig()
    let (ann, ben) = (try await rig.user(), try await rig.agent())
    let number = try await rig.request(by: ann)
    let before = try await rig.support.request(number, for: ann)
    try await rig.comment("A difficult customer", on: number, by: ben, isPublic: false)
    var after = try await rig.support.request(number, for: ann)
    #expect(after.version == before.version || after.status != before.status)
    #expect(after.commentCount == 1 && after.lastComment?.body == "It does not work" && after.commentingAgents == [])
    let list = try await rig.support.comments(of: number, since: nil, role: nil, readOn: nil, for: ann)
    #expect(list.comments.map(\.body) == ["It does not work"] && list.users.map(\.name) == ["Anonymous"])
    let agents = try await rig.support.comments(of: number, since: nil, role: .agent, readOn: nil, for: ben)
    #expect(agents.comments.map(\.body) == ["A difficult customer"] && agents.users.map(\.name) == ["Ben"])
    after = try await rig.support.request(number, for: ben)
    #expect(after.commentCount == 2)
    try await rig.stop()
  }

  @Test("nobody sees another's requests")
  func strangers() async throws {
    let rig = try await SupportRig()
    let (ann, bob) = (try await rig.user(), try await rig.user("guid-bob"))
    let number = try await rig.request(by: ann)
    await #expect(throws: SupportFailure.notFound) { try await rig.support.request(number, for: bob) }
    await #expect(throws: SupportFailure.notFound) { try await rig.comment("Me too", on: number, by: bob) }
    #expect(try await rig.support.requests(SupportQuery(), for: bob).count == 0)
    #expect(try await rig.support.requests(numbers: [number], for: bob).isEmpty)
    var query = SupportQuery()
    query.requester = ann.number
    #expect(try await rig.support.requests(query, for: bob).count == 0)
    #expect(try await rig.support.requests(query, for: ann).views.map(\.number) == [number])
    try await rig.stop()
  }

  @Test("lists come newest first, by page, by status; they are the same after a restart")
  func lists() async throws {
    let rig = try await SupportRig()
    let (ann, ben) = (try await rig.user(), try await rig.agent())
    for _ in 0..<5 { _ = try await rig.request(by: ann) }
    var update = SupportUpdate()
    update.status = .solved
    _ = try await rig.support.update(2, update, by: ben)
    func check(_ rig: SupportRig) async throws {
      var query = SupportQuery()
      (query.page, query.perPage) = (2, 2)
      let page = try await rig.support.requests(query, for: ann)
      #expect(page.views.map(\.number) == [3, 2] && page.count == 5)
      query = SupportQuery()
      query.statuses = [.solved]
      #expect(try await rig.support.requests(query, for: ann).views.map(\.number) == [2])
      query.page = Int.max
      #expect(try await rig.support.requests(query, for: ann).views.isEmpty)
    }
    try await check(rig)
    let again = try await rig.restarted()
    try await check(again)
    #expect(try await again.request(by: ann) == 6)
    try await again.stop()
  }

  @Test("a closed request takes nothing more; an end user's comment opens a solved one again")
  func statuses() async throws {
    let rig = try await SupportRig()
    let (ann, ben) = (try await rig.user(), try await rig.agent())
    let number = try await rig.request(by: ann)
    func set(_ status: SupportStatus) async throws {
      var update = SupportUpdate()
      update.status = status
      _ = try await rig.support.update(number, update, by: ben)
    }
    try await set(.solved)
    try await rig.comment("Still broken", on: number, by: ann)
    #expect(try await rig.support.request(number, for: ann).status == .open)
    try await set(.closed)
    await #expect(throws: SupportFailure.request(.closed)) { try await rig.comment("Hello?", on: number, by: ann) }
    try await rig.stop()
  }

  @Test("news are what others wrote and the device has not read, told anew each time")
  func news() async throws {
    let rig = try await SupportRig()
    let (ann, ben) = (try await rig.user(), try await rig.agent())
    try await rig.register("aa", by: ann)
    try await rig.register("bb", by: ann)
    let number = try await rig.request(by: ann)
    try await rig.comment("one", on: number, by: ben)
    try await rig.comment("note", on: number, by: ben, isPublic: false)
    #expect(try await rig.support.news(for: ann, device: "aa") == [SupportNews(request: number, unread: 1)])
    _ = try await rig.support.comments(of: number, since: nil, role: nil, readOn: "<AA>", for: ann)
    #expect(try await rig.support.news(for: ann, device: "aa") == [])
    #expect(try await rig.support.news(for: ann, device: "bb") == [SupportNews(request: number, unread: 1)])
    try await rig.comment("two", on: number, by: ben)
    #expect(try await rig.support.news(for: ann, device: "aa") == [SupportNews(request: number, unread: 1)])
    #expect(try await rig.support.news(for: ann, device: nil) == [SupportNews(request: number, unread: 2)])
    await #expect(throws: SupportFailure.self) { try await rig.support.news(for: ann, device: "zz") }
    try await rig.stop()
  }

  @Test("an upload goes after an hour, unless a comment has it: then it stays, also over a restart")
  func files() async throws {
    let rig = try await SupportRig()
    let ann = try await rig.user()
    let kept = try await rig.support.upload([1, 2, 3], fileName: "a.png", contentType: "image/png", by: ann)
    let lost = try await rig.support.upload([4], fileName: "b.png", contentType: "image/png", by: ann)
    var order = SupportRequestOrder()
    order.comment.body = "Look"
    order.comment.uploads = [kept.token]
    let view = try await rig.support.create(order, by: ann)
    #expect(view.terms.subject == "Look" && view.firstComment?.attachments == [kept])
    try await rig.settle()
    await #expect(throws: SupportFailure.notFound) { try await rig.support.deleteUpload(kept.token, by: ann) }
    // The token opens nothing of the apps' storage.
    for user in [nil, "ann"] as [String?] {
      await #expect(throws: StorageFailure.unknown) {
        try await rig.engine.storage.delete(.id(kept.token, user: user))
      }
    }
    try await rig.advance(by: .seconds(3_601))
    await #expect(throws: SupportFailure.notFound) { try await rig.support.attachment(lost.token) }
    let again = try await rig.restarted(after: .seconds(86_400))
    #expect(try await again.support.attachment(kept.token).bytes == [1, 2, 3])
    order.comment.uploads = [lost.token]
    await #expect(throws: SupportFailure.invalid(field: "comment.uploads[0]", reason: "is no upload, or none any more"))
    {
      try await again.support.create(order, by: ann)
    }
    try await again.stop()
  }

  @Test("an end user has so many files, in comments or not, and a restart forgets none; agents have no bound")
  func fileQuota() async throws {
    func started(in directory: FilePath? = nil) async throws -> SupportRig {
      try await SupportRig(directory: directory) {
        $0.limits.storedRecordsByUserMaximum = 2
        $0.limits.storedBytesByUserMaximum = 5
      }
    }
    func upload(_ count: Int, _ rig: SupportRig, by actor: SupportActor) async throws -> SupportAttachment {
      try await rig.support.upload(
        [UInt8](repeating: 1, count: count), fileName: "a.png", contentType: "image/png", by: actor)
    }
    let rig = try await started()
    let (ann, kim) = (try await rig.user(), try await rig.agent())
    let bytes = SupportFailure.quota("bytes of stored files", limit: 5)
    var order = SupportRequestOrder()
    order.comment.body = "Look"
    order.comment.uploads = [try await upload(3, rig, by: ann).token]
    await #expect(throws: bytes) { try await upload(3, rig, by: ann) }
    _ = try await rig.support.create(order, by: ann)
    try await rig.settle()
    _ = try await upload(3, rig, by: try await rig.user("guid-ben"))
    for _ in 1...3 { _ = try await upload(3, rig, by: kim) }
    await rig.rig.kill()

    let next = try await started(in: rig.rig.directory)
    await #expect(throws: bytes) { try await upload(3, next, by: ann) }
    let second = try await upload(2, next, by: ann)
    await #expect(throws: SupportFailure.quota("stored records", limit: 2)) { try await upload(1, next, by: ann) }
    try await next.support.deleteUpload(second.token, by: ann)
    _ = try await upload(2, next, by: ann)
    try await next.stop()
  }

  @Test("a chat becomes a request of its customer's, with a reference to its transcript")
  func fromChat() async throws {
    let rig = try await SupportRig()
    let service = try await rig.rig.rig.startChat(user: "ann-key")
    let chat = try await rig.rig.rig.chatID(service)
    let ben = try await rig.agent()
    let view = try await rig.support.create(fromChat: chat, subject: nil, comment: nil, by: ben)
    #expect(view.terms.channel == .chat && view.terms.subject == "Order")
    let transcript = try #require(view.terms.transcript)
    #expect(transcript.serviceID == service && transcript.chatID == chat && transcript.position >= 1)
    let second = try await rig.support.create(fromChat: chat, subject: "More", comment: nil, by: ben)
    #expect(second.terms.requester == view.terms.requester && second.number != view.number)
    await #expect(throws: SupportFailure.notFound) {
      try await rig.support.create(fromChat: "nobody", subject: nil, comment: nil, by: ben)
    }
    try await rig.stop()
  }
}
