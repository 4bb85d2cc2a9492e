/// Reads a condition by recursive descent; nesting and the number of topics are bounded. Spec: GCM B6.2.
///
///     condition := or
///     or        := and ("||" and)*
///     and       := not ("&&" not)*
///     not       := "!" not | "(" or ")" | "'" NAME "'" "in" "topics"
struct TopicConditionParser {
  private let text: [UInt8]
  private var position = 0
  private var depth = 0
  private var topicCount = 0

  init(_ text: String) { self.text = Array(text.utf8) }

  mutating func parse() throws(TopicConditionError) -> TopicCondition {
    let condition = try or()
    guard next == nil else { throw error("Expected \"&&\", \"||\" or the end") }
    return condition
  }

  private mutating func or() throws(TopicConditionError) -> TopicCondition {
    var condition = try and()
    while try takeOperator("||") { condition = .or(condition, try and()) }
    return condition
  }

  private mutating func and() throws(TopicConditionError) -> TopicCondition {
    var condition = try not()
    while try takeOperator("&&") { condition = .and(condition, try not()) }
    return condition
  }

  private mutating func not() throws(TopicConditionError) -> TopicCondition {
    switch next {
    case UInt8(ascii: "!"):
      return .not(try nested { (parser) throws(TopicConditionError) in try parser.not() })
    case UInt8(ascii: "("):
      return try nested { (parser) throws(TopicConditionError) in
        let condition = try parser.or()
        guard parser.next == UInt8(ascii: ")") else { throw parser.error("Expected \")\"") }
        parser.position += 1
        return condition
      }
    case UInt8(ascii: "'"): return .topic(try topic())
    default: throw error("Expected a topic, \"!\" or \"(\"")
    }
  }

  /// Goes behind the character that opens a deeper level.
  private mutating func nested(
    _ read: (inout Self) throws(TopicConditionError) -> TopicCondition
  ) throws(TopicConditionError) -> TopicCondition {
    guard depth < DownstreamLimits.conditionDepthMaximum else { throw error("Nested too deeply") }
    position += 1
    depth += 1
    defer { depth -= 1 }
    return try read(&self)
  }

  private mutating func topic() throws(TopicConditionError) -> String {
    guard topicCount < DownstreamLimits.topicsInConditionMaximum else {
      throw error("More than \(DownstreamLimits.topicsInConditionMaximum) topics")
    }
    topicCount += 1
    let start = position + 1
    guard let end = text[start...].firstIndex(of: UInt8(ascii: "'")) else { throw error("Unterminated topic name") }
    let name = String(decoding: text[start..<end], as: UTF8.self)
    guard TopicName.isValid(name) else { throw error("Invalid topic name") }
    position = end + 1
    try take(word: "in")
    try take(word: "topics")
    return name
  }

  /// The next byte that is no blank; not consumed.
  private var next: UInt8? {
    mutating get {
      while position < text.count, text[position] == 0x20 || (0x09...0x0D).contains(text[position]) { position += 1 }
      return position < text.count ? text[position] : nil
    }
  }

  private mutating func takeOperator(_ name: String) throws(TopicConditionError) -> Bool {
    let byte = name.utf8.first
    guard next == byte else { return false }
    guard position + 1 < text.count, text[position + 1] == byte else { throw error("Expected \"\(name)\"") }
    position += 2
    return true
  }

  /// Takes a word in either case.
  private mutating func take(word: String) throws(TopicConditionError) {
    _ = next
    let end = position + word.utf8.count
    guard end <= text.count, String(decoding: text[position..<end], as: UTF8.self).lowercased() == word,
      end == text.count || !TopicName.isPart(text[end])
    else { throw error("Expected \"\(word)\"") }
    position = end
  }

  private func error(_ reason: String) -> TopicConditionError {
    TopicConditionError(reason: reason, position: position)
  }
}
