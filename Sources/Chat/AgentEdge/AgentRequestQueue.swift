/// The requests of one socket that are not answered yet: those of one chat are done one after the other, those of
/// different chats beside each other. What is done in no chat has an order of its own.
struct AgentRequestQueue {
  private var waiting: [AgentSocketRequest] = []
  /// Where something is being done.
  private var busy: Set<String> = []
  private let maximum: Int

  /// - Parameter maximum: so many are done at once.
  init(maximum: Int) { self.maximum = maximum }

  var isEmpty: Bool { waiting.isEmpty && busy.isEmpty }
  /// No more are to be read. What was read already still finds a place.
  var isFull: Bool { waiting.count + busy.count >= maximum }

  mutating func add(_ request: AgentSocketRequest) { waiting.append(request) }

  /// The next one that may be begun; it is, until its end is told.
  mutating func next() -> AgentSocketRequest? {
    guard busy.count < maximum, let place = waiting.firstIndex(where: { !busy.contains($0.chat) }) else { return nil }
    let request = waiting.remove(at: place)
    busy.insert(request.chat)
    return request
  }

  mutating func end(in chat: String) { busy.remove(chat) }

  /// Those that will not be begun any more.
  mutating func giveUp() -> [AgentSocketRequest] {
    defer { waiting = [] }
    return waiting
  }
}
