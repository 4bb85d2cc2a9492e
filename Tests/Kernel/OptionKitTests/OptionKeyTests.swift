import OptionKit
import Testing

private struct Options: OptionTable {
  let count = OptionKey("count", in: [.push], .integer(1...16), default: 4, "how many", takes: .reload)
  let pause = OptionKey(
    "pause", in: [.push], .seconds(0...60), default: .milliseconds(2_500), "how long", takes: .reload)
  let title = OptionKey("title", in: [.push], .nonEmptyText, "what it is called", takes: .reload, .debugForm)
  let notice = OptionKey("notice", in: [.push], .text, default: "away", "what is said", takes: .reload)
  let isOpen = OptionKey("open", in: [.push], .flag, default: true, "whether it is open", takes: .reload)
  let names = OptionKey("names", in: [.push], .list, default: ["a", "b"], "whose it is", takes: .reload)
  let mood = OptionKey("mood", in: [.push], .choice, default: Mood.calm, "how it is", takes: .reload)
  let limit = OptionKey("limit", in: [.push], .integer(1...9), "no bound if absent", takes: .restart)
}

private enum Mood: String, CaseIterable { case calm, wild }

@Suite("Key of an option")
struct OptionKeyTests {
  private let options = Options()

  private func read(_ texts: [String: String]) -> SectionReader { SectionReader(texts) }

  @Test("a table lists its options in their order, each with its built-in value as it is written")
  func table() {
    let rows = Options.options
    #expect(rows.map(\.name) == ["count", "pause", "title", "notice", "open", "names", "mood", "limit"])
    #expect(rows.map(\.defaultValue) == ["4", "2.5", nil, "away", "true", "a,b", "calm", nil])
    #expect(rows[0].type == .integer(1...16) && rows[6].type == .choice(["calm", "wild"]))
    #expect(rows[2].hasDebugForm && !rows[0].hasDebugForm)
  }

  @Test("what is not set has its built-in value")
  func absent() {
    let none = read([:])
    #expect(none[options.count] == 4 && none[options.pause] == .milliseconds(2_500) && none[options.title] == nil)
    #expect(none[options.names] == ["a", "b"] && none[options.mood] == .calm && none[options.limit] == nil)
    #expect(none.ifSet(options.count) == nil)
  }

  @Test("what is set is read in its type")
  func present() {
    let some = read([
      "count": "16", "pause": "0.25", "title": "T", "notice": "", "open": "false", "names": " x , y,", "mood": "wild",
      "limit": "9",
    ])
    #expect(some[options.count] == 16 && some[options.pause] == .milliseconds(250) && some[options.title] == "T")
    #expect(some[options.notice].isEmpty && !some[options.isOpen] && some[options.names] == ["x", "y"])
    #expect(some[options.mood] == .wild && some[options.limit] == 9 && some.ifSet(options.count) == 16)
  }

  @Test("what cannot be read, or is out of bounds, counts as not set")
  func unreadable() {
    let wrong = read([
      "count": "17", "pause": "nan", "title": "", "open": "yes", "mood": "sad", "limit": "0",
    ])
    #expect(wrong[options.count] == 4 && wrong[options.pause] == .milliseconds(2_500) && wrong[options.title] == nil)
    #expect(wrong[options.isOpen] && wrong[options.mood] == .calm && wrong[options.limit] == nil)
    #expect(wrong.ifSet(options.count) == nil)
  }
}

private struct Bounds: OptionSettings, Equatable {
  var connections = 18_000
  var pause: Duration = .seconds(10)
  var perMinute: Int?

  static let fields: [OptionField<Bounds>] = [
    OptionField("bounds.connections", \.connections, .integer(1...1_000_000), "open connections"),
    OptionField("bounds.pause", \.pause, .seconds(0.1...3_600), "between two"),
    OptionField("bounds.per_minute", \.perMinute, .integer(1...1_000_000), "no bound if absent"),
  ]
}

@Suite("Settings that are options")
struct OptionSettingsTests {
  @Test("begin with what the schema says is built in")
  func builtIn() {
    #expect(Bounds.options.map(\.defaultValue) == ["18000", "10", nil])
    #expect(Bounds(SectionReader([:])) == Bounds())
  }

  @Test("are filled with what is set")
  func set() {
    var expected = Bounds()
    expected.connections = 7
    expected.perMinute = 3
    let texts = ["bounds.connections": "7", "bounds.per_minute": "3", "bounds.pause": "0"]
    #expect(Bounds(SectionReader(texts)) == expected)
  }
}
