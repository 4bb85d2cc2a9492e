/// A topic expression, such as `'dogs' in topics && !('cats' in topics)`. Spec: GCM B6.2.
public indirect enum TopicCondition: Sendable, Equatable {
  case topic(String)
  case not(TopicCondition)
  case and(TopicCondition, TopicCondition)
  case or(TopicCondition, TopicCondition)

  /// Whether it holds for somebody with these subscriptions.
  public func matches(_ isSubscribed: (String) -> Bool) -> Bool {
    switch self {
    case .topic(let name): isSubscribed(name)
    case .not(let condition): !condition.matches(isSubscribed)
    case .and(let left, let right): left.matches(isSubscribed) && right.matches(isSubscribed)
    case .or(let left, let right): left.matches(isSubscribed) || right.matches(isSubscribed)
    }
  }

  /// The topics that it names, each once, in the order of the text.
  public var topics: [String] {
    switch self {
    case .topic(let name): [name]
    case .not(let condition): condition.topics
    case .and(let left, let right), .or(let left, let right):
      left.topics + right.topics.filter { !left.topics.contains($0) }
    }
  }

  /// - Throws: what is wrong, and where.
  public init(parsing text: String) throws(TopicConditionError) {
    var parser = TopicConditionParser(text)
    self = try parser.parse()
  }
}

/// Why a text is no condition.
public struct TopicConditionError: Error, Sendable, Equatable, CustomStringConvertible {
  public let reason: String
  /// Bytes from the beginning of the text.
  public let position: Int

  public var description: String { "\(reason) at position \(position)" }
}
