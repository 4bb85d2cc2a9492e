import EventSourcing
import TestSupport
import Testing

@testable import ChatDomain

@Suite("The figures of a day")
struct ChatFiguresTests {
  /// 2026-02-11.
  private static let day = FigureDay(of: Timestamp(milliseconds: 1_770_798_605_123))

  private static func chat(
    at hour: Int, _ service: String = "sales", answered seconds: Double? = nil, by agent: String? = nil,
    handled: Double? = nil, isAbandoned: Bool = false
  ) -> ChatContribution {
    ChatContribution(
      service: service, startedAt: day.start.advanced(by: .seconds(hour * 3_600)),
      firstAnswerMilliseconds: seconds.map { Int64($0 * 1_000) }, agent: agent,
      handlingMilliseconds: handled.map { Int64($0 * 1_000) }, isAbandoned: isAbandoned)
  }

  private static func figures(_ chats: ChatContribution...) -> ChatFigures {
    var figures = ChatFigures(of: day)
    for (number, chat) in chats.enumerated() { figures.put(chat, of: "\(number)") }
    return figures
  }

  @Test("count each chat for its service, its hour and whoever answered it first")
  func counts() throws {
    let report = Self.figures(
      Self.chat(at: 0), Self.chat(at: 9, answered: 10, by: "anna", handled: 60),
      Self.chat(at: 9, "help", answered: 20, by: "bert"), Self.chat(at: 9, answered: 30, by: "anna", handled: 61.5),
      Self.chat(at: 23, "help", isAbandoned: true)
    ).report()
    #expect(report.total.begun == 5 && report.total.handled == 3 && report.total.abandoned == 1)
    #expect(report.total.firstAnswer == Percentiles(milliseconds: [20_000, 30_000]))
    #expect(report.services.map(\.name) == ["help", "sales"])
    #expect(report.services.map(\.figures.begun) == [2, 3] && report.services.map(\.figures.abandoned) == [1, 0])
    #expect(report.agents.map(\.name) == ["anna", "bert"] && report.agents.map(\.figures.handled) == [2, 1])
    #expect(report.agents[0].figures.firstAnswer == Percentiles(milliseconds: [10_000, 30_000]))
    #expect(report.agents[0].figures.handling?.p90 == 62 && report.agents[1].figures.handling == nil)
    #expect(report.hours.count == 24 && report.hours.map(\.begun).reduce(0, +) == 5)
    #expect(report.hours[9].handled == 3 && report.hours[0].firstAnswer == nil && report.hours[23].abandoned == 1)
    #expect(Self.figures().report().total == Figures())
    let some = Self.figures(Self.chat(at: 1), Self.chat(at: 1, "help")).report { $0.service == "help" }
    #expect(some.total.begun == 1 && some.services.map(\.name) == ["help"])
  }

  @Test("a chat that comes again, or has moved, counts once, where it is now")
  func again() {
    var figures = Self.figures(Self.chat(at: 9))
    figures.put(Self.chat(at: 9, "help", answered: 3, by: "bert"), of: "0")
    figures.put(Self.chat(at: 9, "help", answered: 3, by: "bert"), of: "0")
    let report = figures.report()
    #expect(report.total.begun == 1 && report.services.map(\.name) == ["help"] && report.agents.count == 1)
    figures.put(nil, of: "0")
    #expect(figures.report() == Self.figures().report())
    figures.put(ChatContribution(service: "sales", startedAt: Self.day.end), of: "1")
    #expect(figures.report().total.begun == 0, "another day's")
  }

  @Test(
    "half took at most so long, nine of ten at most so long",
    arguments: [
      ([0], 0, 0), ([499], 0, 0), ([500], 1, 1), ([1_000, 2_000], 1, 2), ([3_000, 1_000, 2_000], 2, 3),
      ((1...10).map { $0 * 1_000 }, 5, 9), ((1...11).map { $0 * 1_000 }, 6, 10), ((1...100).map { $0 * 1_000 }, 50, 90),
      ([.max], 9_223_372_036_854_776, 9_223_372_036_854_776),
    ] as [([Int64], Int, Int)])
  func percentiles(times: [Int64], p50: Int, p90: Int) throws {
    let found = try #require(Percentiles(milliseconds: times.reversed()))
    #expect(found.p50 == p50 && found.p90 == p90)
    #expect(Percentiles(milliseconds: []) == nil)
  }

  @Test(
    "days are those of UTC",
    arguments: [
      ("2026-02-11", true), ("2028-02-29", true), ("0001-01-01", true), ("2026-02-29", false), ("2026-13-01", false),
      ("2026-2-11", false), ("2026-02-11T00:00:00Z", false), ("", false), ("11.02.2026", false), ("２０２６-02", false),
    ])
  func days(text: String, isDay: Bool) {
    let day = FigureDay(text)
    #expect((day != nil) == isDay)
    #expect(day.map { $0.text == text && $0.contains($0.start) && !$0.contains($0.end) } != false)
  }

  @Test(
    "each moment has one day and one hour of it",
    arguments: [
      (0, "1970-01-01", 0), (-1, "1969-12-31", 23), (86_399_999, "1970-01-01", 23), (86_400_000, "1970-01-02", 0),
      (1_770_798_605_123, "2026-02-11", 8),
    ] as [(Int64, String, Int)])
  func moments(milliseconds: Int64, text: String, hour: Int) {
    let time = Timestamp(milliseconds: milliseconds)
    let day = FigureDay(of: time)
    #expect(day.text == text && day.hour(of: time) == hour && day.contains(time))
    #expect(FigureDay(text) == day)
  }

  // MARK: Any day

  /// Counted the plain way: for each figure, over all chats anew.
  private static func recount(_ chats: [ChatContribution]) -> Figures {
    func times(_ values: [Int64]) -> Percentiles? {
      guard !values.isEmpty else { return nil }
      func seconds(_ share: Double) -> Int64 {
        let rank = max(1, Int((Double(values.count) * share).rounded(.up)))
        let time = values.sorted()[rank - 1]
        return Int64((Double(time) / 1_000).rounded(.toNearestOrAwayFromZero)) * 1_000
      }
      // Two such times have these two as their percentiles.
      return Percentiles(milliseconds: [seconds(0.5), seconds(0.9)])
    }
    return Figures(
      begun: chats.count, handled: chats.count(where: \.isHandled), abandoned: chats.count(where: \.isAbandoned),
      firstAnswer: times(chats.compactMap(\.firstAnswerMilliseconds)),
      handling: times(chats.compactMap(\.handlingMilliseconds)))
  }

  @Test(
    "however often chats come, go and move: the figures are those that a count of all gives", arguments: UInt64(1)...30)
  func random(seed: UInt64) {
    var chance = SeededGenerator(seed: seed)
    var figures = ChatFigures(of: Self.day)
    var chats: [String: ChatContribution] = [:]
    for step in 0..<300 {
      let id = "\(Int.random(in: 0..<40, using: &chance))"
      // Some begin the day before, or after.
      let hour = Int.random(in: -2..<26, using: &chance)
      let isAnswered = Bool.random(using: &chance)
      let chat = Self.chat(
        at: hour, ["sales", "help", "=x"].randomElement(using: &chance) ?? "",
        answered: isAnswered ? Double(Int.random(in: 0..<9_000, using: &chance)) / 8 : nil,
        by: isAnswered ? ["anna", "bert"].randomElement(using: &chance) : nil,
        handled: isAnswered && Bool.random(using: &chance) ? Double(Int.random(in: 0..<9_000, using: &chance)) : nil,
        isAbandoned: !isAnswered && Bool.random(using: &chance))
      let isGone = Int.random(in: 0..<8, using: &chance) == 0
      figures.put(isGone ? nil : chat, of: id)
      chats[id] = isGone || !Self.day.contains(chat.startedAt) ? nil : chat
      guard step % 30 == 0 else { continue }
      let (report, all) = (figures.report(), Array(chats.values))
      #expect(report.total == Self.recount(all), "seed \(seed)")
      #expect(report.services.map(\.name) == Set(all.map(\.service)).sorted())
      #expect(report.agents.map(\.name) == Set(all.compactMap(\.agent)).sorted())
      for one in report.services { #expect(one.figures == Self.recount(all.filter { $0.service == one.name })) }
      for one in report.agents { #expect(one.figures == Self.recount(all.filter { $0.agent == one.name })) }
      for (hour, one) in report.hours.enumerated() {
        #expect(one == Self.recount(all.filter { Self.day.hour(of: $0.startedAt) == hour }), "seed \(seed), \(hour)")
      }
    }
  }
}
