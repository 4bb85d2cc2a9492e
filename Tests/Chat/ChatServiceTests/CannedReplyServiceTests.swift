import ChatDomain
import EntityRuntime
import EventSourcing
import Testing

@testable import Engine
@testable import EngineRigs

@Suite("Canned replies", .timeLimit(.minutes(1)))
struct CannedReplyServiceTests {
  private static let anna = CannedReplyHolder(name: "anna")
  private static let bert = CannedReplyHolder(name: "bert")
  private static let boss = CannedReplyHolder(name: "boss", writesShared: true)
  private static let operatorOfAll = CannedReplyHolder(name: "ops", hasOwn: false, writesShared: true)

  private func add(
    _ rig: DeviceRig, _ shortcut: String, _ language: String? = nil, to scope: CannedReplies.Scope = .own,
    by holder: CannedReplyHolder = anna
  ) async throws -> String {
    let draft = CannedReplyDraft(shortcut: shortcut, language: language, text: "text of \(shortcut)")
    return try await rig.engine.cannedReplies.add(draft, to: scope, by: holder).reply.id
  }

  private func shortcuts(
    _ rig: DeviceRig, _ holder: CannedReplyHolder, _ language: String? = nil
  ) async throws -> [String] {
    try await rig.engine.cannedReplies.list(for: holder, language: language)
      .map { "\($0.scope) \($0.reply.content.shortcut)" }
  }

  @Test("one's own are one's own, what is shared is everybody's; also after a kill", arguments: [false, true])
  func sight(withSnapshot: Bool) async throws {
    var rig = try await DeviceRig()
    _ = try await add(rig, "b")
    _ = try await add(rig, "a", "DE")
    let gone = try await add(rig, "gone")
    _ = try await add(rig, "b", by: Self.bert)
    _ = try await add(rig, "hello", to: .shared, by: Self.boss)
    _ = try await add(rig, "hi", "en", to: .shared, by: Self.operatorOfAll)
    try await rig.engine.cannedReplies.remove(gone, by: Self.anna)
    if withSnapshot {
      _ = try await rig.engine.snapshotNow()
      // Something stands behind it.
      _ = try await add(rig, "late")
    }
    let late = withSnapshot ? ["own late"] : []
    for isRestarted in [false, true] {
      if isRestarted {
        await rig.kill()
        rig = try await rig.restarted()
      }
      #expect(try await shortcuts(rig, Self.anna) == ["own a", "own b"] + late + ["shared hello", "shared hi"])
      #expect(try await shortcuts(rig, Self.bert) == ["own b", "shared hello", "shared hi"])
      #expect(try await shortcuts(rig, Self.operatorOfAll) == ["shared hello", "shared hi"])
      #expect(try await shortcuts(rig, Self.anna, "de-AT") == ["own a", "own b"] + late + ["shared hello"])
      #expect(try await shortcuts(rig, Self.anna, "en") == ["own b"] + late + ["shared hello", "shared hi"])
      #expect(try await shortcuts(rig, CannedReplyHolder(name: "shared")) == ["shared hello", "shared hi"])
    }
    try await rig.stop()
  }

  @Test("whoever may not change one is told so of what they see, and nothing of what they do not")
  func ownership() async throws {
    let rig = try await DeviceRig()
    let replies = rig.engine.cannedReplies
    let own = try await add(rig, "hi")
    let shared = try await add(rig, "hi", to: .shared, by: Self.boss)
    let draft = CannedReplyDraft(shortcut: "hi", text: "other")
    for (id, holder, reason) in [
      (own, Self.bert, CannedReplyRejection.unknown), (own, Self.boss, .unknown), (own, Self.operatorOfAll, .unknown),
      (shared, Self.anna, .sharedByOthers), ("nothing", Self.anna, .unknown), ("", Self.boss, .unknown),
    ] {
      await #expect(throws: EngineError.refused(reason)) { try await replies.change(id, to: draft, by: holder) }
      await #expect(throws: EngineError.refused(reason)) { try await replies.remove(id, by: holder) }
    }
    await #expect(throws: EngineError.refused(CannedReplyRejection.sharedByOthers)) {
      try await replies.add(draft, to: .shared, by: Self.anna)
    }
    await #expect(throws: EngineError.refused(CannedReplyRejection.ownsNone)) {
      try await replies.add(draft, to: .own, by: Self.operatorOfAll)
    }
    await #expect(throws: EngineError.refused(CannedReplyRejection.taken("hi"))) {
      try await replies.add(draft, to: .own, by: Self.anna)
    }
    for language in ["", "d", "de-", "deutsch and more", "日本"] {
      await #expect(throws: EngineError.invalid(field: "language", reason: "is not the tag of a language")) {
        try await replies.add(CannedReplyDraft(shortcut: "x", language: language, text: "x"), to: .own, by: Self.anna)
      }
      await #expect(throws: EngineError.invalid(field: "language", reason: "is not the tag of a language")) {
        try await replies.list(for: Self.anna, language: language)
      }
    }
    #expect(try await replies.change(shared, to: draft, by: Self.operatorOfAll).reply.content.text == "other")
    #expect(try await replies.list(for: Self.anna).map(\.reply.content.text) == ["text of hi", "other"])
    // Of what was refused nothing is left, not even somebody who has none.
    #expect(replies.directory.count == 2)
    try await rig.stop()
  }
}
