import ChatDomain
import EntityRuntime
import EventSourcing
import ScriptedClients
import Synchronization
import SystemPackage
import Testing

@testable import ChatEngine
@testable import Engine
@testable import EngineKit
@testable import EngineRigs
@testable import TextSearch

/// An engine whose chats are searched, on a clock that the test moves.
private final class SearchRig: Sendable {
  static let sections = ["service.sales": ["_type": "builtin"], "service.help": ["_type": "builtin"]]

  let rig: EngineRig
  let time: ManualTime
  let directory: FilePath

  init(
    directory: FilePath? = nil, at now: Timestamp = DeviceRig.start, options: [String: String] = [:],
    configure: (inout EngineConfiguration) -> Void = { _ in }
  ) async throws {
    time = ManualTime(start: now)
    let directory = try directory ?? EngineRig.temporaryDirectory()
    self.directory = directory
    rig = try await EngineRig(
      directory: directory, sections: Self.sections.merging(["server": options]) { $1 }, time: time,
      configure: configure)
  }

  var engine: Engine { rig.engine }
  var search: SearchService { rig.engine.agents.search }

  /// By the clock of the test nothing can be waited for.
  func stop() async { await rig.stop(grace: .zero) }

  func restarted(configure: (inout EngineConfiguration) -> Void = { _ in }) async throws -> SearchRig {
    await stop()
    return try await SearchRig(directory: directory, at: time.now, configure: configure)
  }

  /// A chat's instance and its session id.
  struct Chat {
    let service: String
    let id: String
  }

  func chat(
    of service: String = "sales", user: String = "ann", name: String = "Ann", subject: String = "",
    _ first: String? = nil
  ) async throws -> Chat {
    time.advance(by: .seconds(1))
    let id = try await engine.chats.create(service: service, data: [])
    _ = try await engine.chats.start(
      id, ChatStartRequest(userKey: user, nickname: name, subject: subject, firstMessage: first))
    return Chat(service: id, id: try await rig.chatID(id))
  }

  func say(_ text: String, in chat: Chat) async throws {
    time.advance(by: .seconds(1))
    _ = try await engine.chats.send(chat.service, text: text, by: .house)
  }

  func join(_ chat: Chat, as agent: String) async throws {
    _ = try await engine.agents.join(chat.id, agentID: agent, nickname: "Agent", role: .agent)
  }

  /// Returns once nothing that has happened is still to be looked at.
  func settle() async throws {
    while !search.isSettled {
      time.advance(by: .milliseconds(20))
      engine.tick()
      await Task.yield()
    }
  }

  /// The texts of what is found.
  func find(_ words: String, for viewer: AgentViewer = .overseer) async throws -> [String] {
    try await settle()
    return try await search.find(words, limit: 100, for: viewer).hits.map(\.text)
  }

  /// All words that are somewhere in the index.
  var vocabulary: Set<String> {
    let index = search.state.withLock { $0.index }
    var words = index.head.vocabulary
    for kept in index.segments {
      var cursor = kept.segment.terms.start
      while cursor.advance() { words.insert(cursor.word) }
    }
    return Set(words.map { String(decoding: $0, as: UTF8.self) })
  }
}

@Suite("Searching chats", .timeLimit(.minutes(2)))
struct SearchServiceTests {
  private static let anna = AgentViewer(id: "anna", services: ["sales"])
  private static let bert = AgentViewer(id: "bert", services: ["help"])
  private static let cleo = AgentViewer(id: "cleo")

  @Test("what both sides say, private notes, subject and name are found, and say where they stand")
  func hits() async throws {
    let rig = try await SearchRig()
    let chat = try await rig.chat(name: "Änne Olsen", subject: "Broken kettle", "It does not boil")
    try await rig.join(chat, as: "anna")
    try await rig.say("No steam at all", in: chat)
    _ = try await rig.engine.agents.send(chat.id, agentID: "anna", text: "We send a new kettle")
    try await rig.engine.agents.note(chat.id, agentID: "anna", text: "Second kettle in a month")
    try await rig.engine.agents.whisper(chat.id, agentID: "boss", text: "Offer a discount")
    _ = try await rig.engine.agents.typing(chat.id, agentID: "anna", started: true)
    _ = try await rig.engine.agents.pushURL(chat.id, agentID: "anna", url: "https://shop.example/kettles/81")
    try await rig.settle()
    let page = try await rig.search.find("KETTLE", limit: 100, for: Self.anna)
    #expect(page.gap == nil && page.next == nil)
    #expect(
      page.hits.map(\.text) == [
        "https://shop.example/kettles/81", "Second kettle in a month", "We send a new kettle", "Broken kettle",
      ])
    #expect(page.hits.map(\.match) == [.text, .text, .text, .subject])
    #expect(
      page.hits.map(\.position) == [7, nil, 5, nil] && page.hits.map(\.isPrivate) == [false, true, false, false])
    #expect(
      page.hits.allSatisfy { $0.chatID == chat.id && $0.customer == "Änne Olsen" && $0.subject == "Broken kettle" })
    #expect(page.hits[3].time < page.hits[2].time)
    let name = try await rig.search.find("olsen anne", limit: 100, for: Self.anna).hits
    #expect(name.map(\.match) == [.name] && name.first?.text == "Änne Olsen")
    #expect(try await rig.find("discount", for: Self.anna) == ["Offer a discount"])
    // Comings, goings and typing are nothing that anybody looks for; words of two lines are not in one.
    for words in ["joined", "typing", "steam boil", "kett new"] {
      #expect(try await rig.find(words).isEmpty, "\(words)")
    }
    await rig.stop()
  }

  @Test("an agent finds what they see in lists, and nothing else")
  func visibility() async throws {
    let rig = try await SearchRig()
    let sales = try await rig.chat(of: "sales", "parcel for sales")
    let help = try await rig.chat(of: "help", "parcel for help")
    #expect(try await rig.find("parcel", for: Self.anna) == ["parcel for sales"])
    #expect(try await rig.find("parcel", for: Self.bert) == ["parcel for help"])
    #expect(try await rig.find("parcel", for: Self.cleo) == ["parcel for help", "parcel for sales"])
    try await rig.join(sales, as: "anna")
    #expect(try await rig.find("parcel", for: Self.anna) == ["parcel for sales"])
    #expect(try await rig.find("parcel", for: Self.cleo) == ["parcel for help"])
    #expect(try await rig.find("parcel") == ["parcel for help", "parcel for sales"])
    let overseer = AgentViewer(id: "boss", services: ["sales"], isSupervisor: true)
    #expect(try await rig.find("parcel", for: overseer) == ["parcel for sales"])
    // Whoever is invited sees it; whoever was there at its end goes on to.
    try await rig.engine.agents.invite("bert", to: sales.id, by: Self.anna)
    #expect(try await rig.find("parcel", for: Self.bert) == ["parcel for help", "parcel for sales"])
    _ = try await rig.engine.agents.close(sales.id, agentID: "anna")
    #expect(try await rig.find("parcel", for: Self.anna) == ["parcel for sales"])
    #expect(try await rig.find("parcel", for: Self.bert) == ["parcel for help"])
    #expect(help.id != sales.id)
    await rig.stop()
  }

  @Test("pages go on where the last one ended, also in the next process; each hit comes once")
  func pages() async throws {
    var rig = try await SearchRig()
    var said: [String] = []
    for number in 0..<4 {
      let chat = try await rig.chat("order \(number) first")
      said.append("order \(number) first")
      for line in 0..<3 {
        try await rig.say("order \(number) line \(line)", in: chat)
        said.append("order \(number) line \(line)")
      }
    }
    try await rig.settle()
    var found: [String] = []
    var cursor: String?
    repeat {
      let page = try await rig.search.find("order", limit: 3, after: cursor, for: .overseer)
      #expect(page.hits.count == 3 || page.next == nil)
      found += page.hits.map(\.text)
      cursor = page.next
      if found.count == 6 {
        rig = try await rig.restarted()
        try await rig.settle()
      }
    } while cursor != nil
    #expect(found == said.reversed())
    await rig.stop()
  }

  @Test(
    "a restart makes the index anew, from chats in memory and asleep; meanwhile it says that something may be missing")
  func restart() async throws {
    var rig = try await SearchRig()
    for number in 0..<150 { _ = try await rig.chat(name: "Guest \(number)", "parcel \(number)") }
    for round in 0..<3 {
      if round == 1 { #expect(await rig.engine.putIdleToSleep(unusedFor: 0) > 0) }
      if round > 0 { _ = try await rig.engine.snapshotNow() }
      rig = try await rig.restarted()
      // It need not have begun, but never waits for that to answer.
      let page = try await rig.search.find("parcel", limit: 100, for: .overseer)
      #expect(page.hits.count == 100 || page.gap == .building)
      try await rig.settle()
      #expect(try await rig.search.find("parcel", limit: 100, for: .overseer).gap == nil)
      #expect(try await rig.find("parcel 149") == ["parcel 149"])
      #expect(
        try await rig.find("guest 7") == [
          "Guest 79", "Guest 78", "Guest 77", "Guest 76", "Guest 75", "Guest 74", "Guest 73", "Guest 72", "Guest 71",
          "Guest 70", "Guest 7",
        ])
      // What is said afterwards is found behind it, once.
      let chat = try await rig.chat("late parcel \(round)")
      try await rig.say("later parcel \(round)", in: chat)
      #expect(try await rig.find("late parcel \(round)") == ["late parcel \(round)"])
      #expect(try await rig.find("parcel later").count == round + 1)
    }
    await rig.stop()
  }

  @Test("a stop waits for nothing of the search, wherever it is; the next process begins anew", .timeLimit(.minutes(1)))
  func stops() async throws {
    var rig = try await SearchRig()
    for number in 0..<80 { _ = try await rig.chat("parcel \(number)") }
    _ = try await rig.engine.snapshotNow()
    for pause in 0..<12 {
      rig = try await rig.restarted()
      for _ in 0..<pause * 20 { await Task.yield() }
    }
    #expect(try await rig.find("parcel").count == 80)
    await rig.stop()
    #expect(rig.search.state.withLock { $0.index.count } > 0)
  }

  @Test("a chat that is over is found as long as it is kept, and its words leave with it")
  func life() async throws {
    let rig = try await SearchRig()
    let chat = try await rig.chat("a peculiar kettle")
    _ = try await rig.engine.chats.disconnect(chat.service, by: .house)
    #expect(try await rig.find("kettle") == ["a peculiar kettle"])
    rig.time.advance(by: .seconds(2 * 86_400))
    while rig.engine.chats.directory.contains(chat.service) {
      rig.engine.tick()
      await Task.yield()
    }
    #expect(try await rig.find("kettle").isEmpty && rig.vocabulary.isEmpty)
    #expect(rig.search.state.withLock { $0.owners.count } == 0)
    // Its number serves the next one.
    _ = try await rig.chat("another kettle")
    #expect(try await rig.find("kettle") == ["another kettle"])
    await rig.stop()
  }

  @Test(
    "erasure takes a customer's words out of memory, also those that were still to be read; what is said later is found"
  )
  func erasure() async throws {
    var rig = try await SearchRig()
    let ann = try await rig.chat(user: "ann", name: "Annabel", subject: "Peculiar", "my secret kettle")
    _ = try await rig.chat(user: "ben", "a kettle of Ben's")
    for number in 0..<1_100 { try await rig.say("filler \(number)", in: ann) }
    try await rig.settle()
    let before = rig.vocabulary
    #expect(before.isSuperset(of: ["secret", "annabel", "peculiar"]))
    try await rig.say("one more secret", in: ann)
    _ = try await rig.engine.redactions.redact(subject: "ann", by: "operator", reason: "Art. 17 GDPR")
    for restart in [false, true] {
      if restart { rig = try await rig.restarted() }
      for words in ["secret", "annabel", "peculiar", "filler", "erased"] {
        #expect(try await rig.find(words).isEmpty, "\(words)")
      }
      #expect(rig.vocabulary.isDisjoint(with: ["secret", "annabel", "peculiar", "filler", "more", "erased"]))
      #expect(try await rig.find("kettle") == ["a kettle of Ben's"])
    }
    _ = try await rig.engine.agents.join(ann.id, agentID: "k", nickname: "K", role: .agent)
    _ = try await rig.engine.agents.send(ann.id, agentID: "k", text: "Is the new kettle there?")
    #expect(try await rig.find("kettle there") == ["Is the new kettle there?"])
    await rig.stop()
  }

  @Test("what cannot be looked for is refused with its field; so is a cursor that no search has given")
  func refusals() async throws {
    let rig = try await SearchRig()
    _ = try await rig.chat("parcel")
    try await rig.settle()
    for words in ["", "  ", "?!", String(repeating: "x", count: 257), (0..<20).map { "w\($0)" }.joined(separator: " ")]
    {
      await #expect(throws: EngineError.self) { try await rig.search.find(words, limit: 9, for: .overseer) }
      do { _ = try await rig.search.find(words, limit: 9, for: .overseer) } catch {
        guard case .invalid(let field, _) = error else { throw error }
        #expect(field == "q")
      }
    }
    for cursor in ["", "x", "1.2", "1.2.", "-1.0.x", "01.0.x", "99999999999.0.x", "1.99999999999.x", "1..x"] {
      do {
        let page = try await rig.search.find("parcel", limit: 9, after: cursor, for: .overseer)
        // A chat that nobody knows may have been there.
        #expect(cursor == "1.2." && page.hits.isEmpty, "\(cursor)")
      } catch {
        guard case .invalid(let field, _) = error else { throw error }
        #expect(field == "cursor")
      }
    }
    #expect(try await rig.search.find("parcel", limit: .max, for: .overseer).hits.count == 1)
    #expect(try await rig.search.find("parcel", limit: .min, for: .overseer).hits.count == 1)
    await rig.stop()
  }

  @Test("more searches at once than may be are refused")
  func many() async throws {
    let rig = try await SearchRig { $0.limits.searchesMaximum = 0 }
    do {
      _ = try await rig.search.find("parcel", limit: 9, for: .overseer)
      Issue.record("it was answered")
    } catch { #expect(error == .limitReached("searches")) }
    await rig.stop()
  }

  @Test("without room for what is older a restart leaves it out, and says so; what is new is found")
  func full() async throws {
    var rig = try await SearchRig()
    _ = try await rig.chat("old parcel")
    rig = try await rig.restarted { $0.limits.searchBytesMaximum = 1 }
    _ = try await rig.chat("new parcel")
    #expect(try await rig.find("parcel") == ["new parcel"])
    #expect(try await rig.search.find("parcel", limit: 9, for: .overseer).gap == .full)
    await rig.stop()
  }

  @Test("switched off, it refuses, keeps nothing and is in nobody's way")
  func off() async throws {
    let rig = try await SearchRig(options: ["search.enabled": "false"])
    let chat = try await rig.chat("parcel")
    #expect(rig.search.isSettled)
    do {
      _ = try await rig.search.find("parcel", limit: 9, for: .overseer)
      Issue.record("it was answered")
    } catch { #expect(error == .refused(SearchRefusal.isOff)) }
    _ = try await rig.engine.redactions.redact(subject: "ann", by: "operator", reason: "Art. 17 GDPR")
    #expect(rig.vocabulary.isEmpty && rig.search.state.withLock { $0.owners.count } == 0)
    #expect(try await rig.engine.agents.summary(chat.id, for: .overseer).lastLine != nil)
    await rig.stop()
  }
}
