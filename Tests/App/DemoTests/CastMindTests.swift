import JSONEnvelope
import NIOHTTP1
import Testing

@testable import carillon

@Suite("A sample customer")
struct CastMindTests {
  private static let room = CastMind.Room(chats: 3, callbacks: 1, requests: 1)
  private static let nowhere = CastMind.Room(chats: 0, callbacks: 0, requests: 0)

  /// Lets time pass, second by second.
  /// - Returns: what was done, and when.
  private func pass(
    _ mind: inout CastMind, _ seconds: ClosedRange<Int>, _ room: CastMind.Room = nowhere,
    starts: Bool = true
  ) -> [(at: Int, act: CastMind.Act)] {
    var acts: [(at: Int, act: CastMind.Act)] = []
    for now in seconds {
      guard let act = mind.next(at: now, room: room) else { continue }
      acts.append((now, act))
      if starts, case .startChat = act { mind.hears(.chatStarted, at: now) }
    }
    return acts
  }

  /// One who has begun a chat, and when.
  private func chatting(_ number: Int = 1, seed: UInt64 = 7) throws -> (mind: CastMind, at: Int) {
    var mind = CastMind(CastMember.all[number - 1], seed: seed)
    let onlyChats = CastMind.Room(chats: 1, callbacks: 0, requests: 0)
    for now in 0...200 {
      guard case .startChat = mind.next(at: now, room: onlyChats) else { continue }
      mind.hears(.chatStarted, at: now)
      return (mind, now)
    }
    throw Absent()
  }

  private struct Absent: Error {}

  @Test("does the same on every day", arguments: CastMember.all)
  func seed(member: CastMember) {
    var (first, second) = (CastMind(member), CastMind(member))
    let acts = pass(&first, 0...900, Self.room).map(\.act)
    #expect(!acts.isEmpty)
    #expect(acts == pass(&second, 0...900, Self.room).map(\.act))
  }

  @Test("the first three come within seconds, the others within a minute or so")
  func arrival() {
    for member in CastMember.all {
      var mind = CastMind(member)
      let first = pass(&mind, 0...120, Self.room).first?.at
      let range = member.number <= 3 ? CastLimits.firstCome : CastLimits.othersCome
      #expect(first.map(range.contains) == true, "\(member.name) at \(first.map(String.init) ?? "never")")
    }
  }

  @Test("begins nothing for which there is no room, and looks again later", arguments: CastMember.all)
  func noRoom(member: CastMember) {
    var mind = CastMind(member)
    #expect(pass(&mind, 0...600).isEmpty)
    #expect(!pass(&mind, 601...700, Self.room).isEmpty)
  }

  @Test("begins one thing at a time: nothing more while a chat is being started")
  func starting() {
    var mind = CastMind(CastMember.all[0])
    let onlyChats = CastMind.Room(chats: 5, callbacks: 0, requests: 0)
    let acts = pass(&mind, 0...300, onlyChats, starts: false)
    #expect(acts.count == 1)
    mind.hears(.failed, at: 300)
    let again = pass(&mind, 301...400, onlyChats, starts: false)
    #expect(again.first.map { CastLimits.afterFailure.contains($0.at - 300) } == true)
  }

  @Test("answers what an agent says within seconds, and once", arguments: 1...10)
  func answer(number: Int) throws {
    var (mind, start) = try chatting(number)
    mind.hears(.said("Good morning"), at: start + 5)
    let acts = pass(&mind, (start + 5)...(start + 5 + CastLimits.answer.upperBound))
    let said = acts.filter { if case .say = $0.act { true } else { false } }
    #expect(said.count == 1)
    #expect(said.first.map { CastLimits.answer.contains($0.at - start - 5) } == true)
  }

  @Test("two lines of an agent are answered together, some seconds after the second")
  func twoLines() throws {
    var (mind, start) = try chatting()
    mind.hears(.said("One moment"), at: start + 5)
    mind.hears(.said("Which order?"), at: start + 7)
    let said = pass(&mind, (start + 5)...(start + 20)).filter { if case .say = $0.act { true } else { false } }
    #expect(said.count == 1 && said.first.map { $0.at >= start + 7 + CastLimits.answer.lowerBound } == true)
  }

  @Test("thanks and goes after some answers, whatever else is said", arguments: [3, 4, 5, 6] as [UInt64])
  func farewell(seed: UInt64) throws {
    var (mind, start) = try chatting(seed: seed)
    var (now, lines, ended) = (start, 0, false)
    while now < start + 1_000, !ended {
      mind.hears(.said("And now?"), at: now)
      for _ in 0..<30 {
        now += 1
        switch mind.next(at: now, room: Self.nowhere) {
        case .say: lines += 1
        case .leave: mind.hears(.pushed, at: now)
        case .endChat: ended = true
        default: break
        }
      }
    }
    #expect(ended && CastLimits.answersInChat.contains(lines), "\(lines) lines")
    mind.hears(.chatEnded, at: now)
    #expect(pass(&mind, now...(now + CastLimits.betweenErrands.lowerBound - 1), Self.room).isEmpty)
  }

  @Test("asks again if nobody answers, twice at most, and gives up in the end", arguments: 1...10)
  func unanswered(number: Int) throws {
    var (mind, start) = try chatting(number)
    let acts = pass(&mind, start...(start + CastLimits.patience + CastLimits.stayAway.upperBound))
    let nudges = acts.count { if case .say = $0.act { true } else { false } }
    #expect((1...CastLimits.nudgesMaximum).contains(nudges))
    let end = try #require(acts.first { $0.act == .endChat })
    #expect(end.at >= start + CastLimits.patience)
    // Each leaving is followed by the return, and nothing is said in between.
    var isAway = false
    for (_, act) in acts where act != .endChat {
      switch act {
      case .leave:
        #expect(!isAway)
        isAway = true
      case .comeBack:
        #expect(isAway)
        isAway = false
      default: #expect(!isAway, "\(act)")
      }
    }
    #expect(acts.contains { $0.act == .leave })
  }

  @Test("a push brings them back within seconds; without one they come back by themselves")
  func push() throws {
    var (mind, now) = try chatting()
    while mind.next(at: now, room: Self.nowhere) != .leave { now += 1 }
    #expect(mind.isAway)
    var pushed = mind
    pushed.hears(.pushed, at: now + 1)
    let back = try #require(pass(&pushed, (now + 1)...(now + 1 + CastLimits.comeBackAfterPush.upperBound)).first)
    #expect(back.act == .comeBack && CastLimits.comeBackAfterPush.contains(back.at - now - 1))
    let byItself = try #require(pass(&mind, now...(now + CastLimits.stayAway.upperBound)).first)
    #expect(byItself.act == .comeBack && CastLimits.stayAway.contains(byItself.at - now))
  }

  @Test("a push that comes late changes nothing")
  func latePush() throws {
    var (mind, start) = try chatting()
    var other = mind
    mind.hears(.pushed, at: start)
    #expect(!mind.isAway)
    let seconds = start...(start + 300)
    #expect(pass(&mind, seconds).map(\.act) == pass(&other, seconds).map(\.act))
  }

  @Test("a chat that an agent ends is over, and nothing more is said in it")
  func ended() throws {
    var (mind, start) = try chatting()
    mind.hears(.said("Goodbye"), at: start + 1)
    mind.hears(.chatEnded, at: start + 2)
    #expect(pass(&mind, (start + 2)...(start + 500)).isEmpty)
  }

  @Test("waits for one callback at a time, cancels it after a while, and has one support request")
  func errands() {
    var mind = CastMind(CastMember.all[3], seed: 3)
    let noChats = CastMind.Room(chats: 0, callbacks: 1, requests: 1)
    let acts = pass(&mind, 0...6_000, noChats)
    var ordered: Int?
    for (at, act) in acts {
      switch act {
      case .orderCallback:
        #expect(ordered == nil)
        ordered = at
      case .cancelCallback:
        #expect(ordered.map { at - $0 } == CastLimits.callbackPatience)
        ordered = nil
      default: break
      }
    }
    #expect(acts.contains { if case .orderCallback = $0.act { true } else { false } })
    #expect(acts.count { if case .openRequest = $0.act { true } else { false } } == 1)
  }

  @Test("answers an agent's comments on a request, a few of them")
  func comments() {
    var mind = CastMind(CastMember.all[1])
    var answers = 0
    for now in stride(from: 0, to: 200, by: 20) {
      mind.hears(.commented("Which one?"), at: now)
      answers += pass(&mind, now...(now + 19)).count { if case .commentRequest = $0.act { true } else { false } }
    }
    #expect(answers == CastLimits.answersInRequest)
  }
}

@Suite("All sample customers together")
struct CastTests {
  @Test("are ten, each with a key, a device and a user of their own, in every service")
  func all() {
    let all = CastMember.all
    #expect(all.count == 10 && all.map(\.number) == Array(1...10))
    for key in [\CastMember.userKey, \.deviceID, \.guid, \.telephone] {
      #expect(Set(all.map { $0[keyPath: key] }).count == 10)
    }
    #expect(Set(all.map(\.service)) == Set(CastService.allCases))
    #expect(Set(all.map(\.push)) == Set(CastPush.allCases) && Set(all.map(\.language)) == Set(CastLanguage.allCases))
    #expect(all.allSatisfy { $0.guid.utf8.count == 36 })
  }

  @Test("say something about everything, in every language")
  func words() {
    for language in CastLanguage.allCases {
      for service in CastService.allCases { #expect(CastWords.errands(service, language).count >= 3) }
      #expect(CastWords.answers(to: "Why?", language) != CastWords.answers(to: "So.", language))
      #expect(!CastWords.nudges(language).isEmpty && !CastWords.thanks(language).isEmpty)
    }
  }

  @Test("take no more room than there is, and give back what they took")
  func room() {
    let room = CastRoom()
    for _ in 0..<CastLimits.chatsMaximum { #expect(room.take(\.chats)) }
    #expect(!room.take(\.chats) && room.now.chats == 0)
    #expect(room.now.callbacks == CastLimits.callbacksMaximum)
    room.give(\.chats)
    #expect(room.now.chats == 1 && room.take(\.chats))
  }

  @Test(
    "their receiver takes pushes, now and then, or never, by where they come to",
    arguments: [
      (CastPost.paths.good, 0, 200), (CastPost.paths.shaky, 1, 503), (CastPost.paths.shaky, 2, 503),
      (CastPost.paths.shaky, 3, 200), (CastPost.paths.gone, 0, 404), ("/", 0, 404), ("/push/x", 3, 404),
    ])
  func receiver(path: String, attempt: Int, status: Int) {
    #expect(Int(CastPost.answer(path, attempt: attempt).code) == status)
  }

  @Test("their colleague answers whoever has the last word, and says something else each time")
  func colleague() {
    #expect(CastColleague.answer(after: []) == nil)
    #expect(CastColleague.answer(after: ["CLIENT", "AGENT"]) == nil)
    #expect(CastColleague.answer(after: ["CLIENT", "SUPERVISOR"]) == nil)
    var speakers = ["CLIENT"]
    var answers: [String] = []
    for _ in 0..<(CastWords.colleague.count + 1) {
      if let answer = CastColleague.answer(after: speakers) { answers.append(answer) }
      speakers += ["AGENT", "CLIENT", "CLIENT"]
    }
    #expect(answers == CastWords.colleague + [CastWords.colleague[0]])
  }

  @Test("only a push that has arrived is told to its customer")
  func arrival() async {
    let post = CastPost()
    #expect(post.judge("/gone", ["deviceId": "a"]) == .notFound)
    #expect(post.judge("/push", ["nothing": 1]) == .ok)
    #expect(post.judge("/push", .null) == .ok)
    #expect(post.judge("/push", ["deviceId": "b"]) == .ok)
    var devices = post.arrived.makeAsyncIterator()
    #expect(await devices.next() == "b")
  }
}
