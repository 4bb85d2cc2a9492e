import GCMProtocol
import Testing

@Suite("A topic condition")
struct TopicConditionTests {
  @Test(
    "is read as its grammar says",
    arguments: [
      ("'a' in topics", TopicCondition.topic("a")),
      ("  'a'  IN  Topics ", .topic("a")),
      ("'a'in topics", .topic("a")),
      ("!'a' in topics", .not(.topic("a"))),
      ("!('a' in topics)", .not(.topic("a"))),
      ("!!'a' in topics", .not(.not(.topic("a")))),
      ("'a' in topics && 'b' in topics", .and(.topic("a"), .topic("b"))),
      ("'a' in topics&&'b' in topics||'c' in topics", .or(.and(.topic("a"), .topic("b")), .topic("c"))),
      ("'a' in topics || 'b' in topics && 'c' in topics", .or(.topic("a"), .and(.topic("b"), .topic("c")))),
      ("('a' in topics || 'b' in topics) && 'c' in topics", .and(.or(.topic("a"), .topic("b")), .topic("c"))),
      (
        "'dogs' in topics || ('cats' in topics && !'birds' in topics)",
        .or(.topic("dogs"), .and(.topic("cats"), .not(.topic("birds"))))
      ),
    ])
  func grammar(_ text: String, _ expected: TopicCondition) throws {
    #expect(try TopicCondition(parsing: text) == expected)
  }

  @Test(
    "that is wrong says what and where",
    arguments: [
      ("", "Expected a topic, \"!\" or \"(\" at position 0"),
      ("a in topics", "Expected a topic, \"!\" or \"(\" at position 0"),
      ("'a", "Unterminated topic name at position 0"),
      ("'' in topics", "Invalid topic name at position 0"),
      ("'a b' in topics", "Invalid topic name at position 0"),
      ("'a'", "Expected \"in\" at position 3"),
      ("'a' in topic", "Expected \"topics\" at position 7"),
      ("'a' in topicss", "Expected \"topics\" at position 7"),
      ("'a' in topics & 'b' in topics", "Expected \"&&\" at position 14"),
      ("'a' in topics |", "Expected \"||\" at position 14"),
      ("'a' in topics 'b' in topics", "Expected \"&&\", \"||\" or the end at position 14"),
      ("('a' in topics", "Expected \")\" at position 14"),
      ("'a' in topics)", "Expected \"&&\", \"||\" or the end at position 13"),
      ("'a' in topics &&", "Expected a topic, \"!\" or \"(\" at position 16"),
      (String(repeating: "!", count: 17) + "'a' in topics", "Nested too deeply at position 16"),
      (
        Array(repeating: "'a' in topics", count: 6).joined(separator: " && "), "More than 5 topics at position 85"
      ),
    ])
  func errors(_ text: String, _ description: String) {
    #expect {
      _ = try TopicCondition(parsing: text)
    } throws: {
      ($0 as? TopicConditionError)?.description == description
    }
  }

  @Test("holds for whom it describes")
  func evaluation() throws {
    let condition = try TopicCondition(parsing: "'a' in topics && ('b' in topics || !'c' in topics)")
    func holds(_ topics: String...) -> Bool { condition.matches { topics.contains($0) } }
    #expect(holds("a"))
    #expect(holds("a", "b", "c"))
    #expect(!holds("a", "c"))
    #expect(!holds("b"))
    #expect(condition.topics == ["a", "b", "c"])
  }

  @Test("names each topic once")
  func topics() throws {
    #expect(try TopicCondition(parsing: "'b' in topics || ('a' in topics && 'b' in topics)").topics == ["b", "a"])
  }

  @Test(
    "takes names of the published characters only",
    arguments: [
      ("a-Z0_.~%", true), ("", false), ("ü", false), ("a/b", false), ("a b", false),
      (String(repeating: "x", count: 900), true), (String(repeating: "x", count: 901), false),
    ])
  func names(_ name: String, isValid: Bool) { #expect(TopicName.isValid(name) == isValid) }
}
