/// What one socket remembers of its requests, so that one which comes again is not done again.
struct AgentRequestMemory {
  enum Finding: Equatable {
    /// It is to be done.
    case unknown
    case answered([UInt8])
    /// Another one has its id.
    case other
  }

  private struct Kept {
    let fingerprint: Int
    let answer: [UInt8]
  }

  /// By their ids.
  private var underWay: [String: (fingerprint: Int, chat: String)] = [:]
  private var kept: [String: Kept] = [:]
  /// Ids of those that are kept, the oldest first.
  private var order: [String] = []
  private let keptMaximum: Int

  init(keptMaximum: Int) { self.keptMaximum = keptMaximum }

  /// Looks a request up that is about to be done. Of one that says the same and is under way, its chat's order keeps it
  /// waiting.
  func find(_ request: AgentSocketRequest) -> Finding {
    if let former = kept[request.id] {
      return former.fingerprint == request.fingerprint ? .answered(former.answer) : .other
    }
    return underWay[request.id] == nil ? .unknown : .other
  }

  mutating func begin(_ request: AgentSocketRequest) {
    underWay[request.id] = (request.fingerprint, request.chat)
  }

  /// It is done, or was refused.
  /// - Parameter answer: kept; nil for a refusal, after which nothing has happened: whoever asks again means it.
  /// - Returns: where it was done; nil for none that was begun.
  mutating func end(_ id: String, answer: [UInt8]?) -> String? {
    guard let (fingerprint, chat) = underWay.removeValue(forKey: id) else { return nil }
    if let answer {
      if order.count >= keptMaximum { kept[order.removeFirst()] = nil }
      order.append(id)
      kept[id] = Kept(fingerprint: fingerprint, answer: answer)
    }
    return chat
  }
}
