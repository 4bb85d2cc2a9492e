import EventSourcing

/// A small entity to run turns with: counts up, refuses to pass ten, and says so at every fifth.
struct Counter: Decider {
  enum Command: Sendable { case add(Int), finish, nothing }
  enum Event: JournaledEvent {
    case added(Int), finished
    case restated(total: Int)

    var tag: EventTag {
      switch self {
      case .added: 1
      case .finished: 2
      case .restated: 3
      }
    }

    static func isRestatement(_ tag: EventTag) -> Bool { tag == 3 }

    func encode(into writer: inout PayloadWriter) {
      switch self {
      case .added(let amount), .restated(let amount): writer.integer(1, amount)
      case .finished: break
      }
    }

    init(tag: EventTag, payload: inout PayloadReader) throws(PayloadError) {
      var amount: Int?
      while let field = try payload.next() {
        if field == 1 { amount = try payload.integer() } else { try payload.skip() }
      }
      switch tag {
      case 1:
        guard let amount else { throw .missingField(1) }
        self = .added(amount)
      case 2: self = .finished
      case 3:
        guard let amount else { throw .missingField(1) }
        self = .restated(total: amount)
      default: throw .unknownTag(tag)
      }
    }
  }
  enum Rejection: Error, Equatable { case tooMuch }
  enum Effect: Equatable { case said(Int) }

  var total = 0
  var isFinished = false

  func decide(_ command: Command, now: Timestamp) throws(Rejection) -> [Event] {
    switch command {
    case .add(let amount):
      guard total + amount <= 10 else { throw .tooMuch }
      return Array(repeating: .added(1), count: amount)
    case .finish: return [.finished]
    case .nothing: return []
    }
  }

  mutating func evolve(_ event: Event, at time: Timestamp) {
    switch event {
    case .added(let amount): total += amount
    case .finished: isFinished = true
    case .restated(let total): self.total = total
    }
  }

  func react(to event: Event) -> [Effect] { total % 5 == 0 ? [.said(total)] : [] }
  var outstandingEffects: [Effect] { total > 0 ? [.said(total)] : [] }
}

extension Counter: RestorableState {
  func encodeState(into writer: inout PayloadWriter) {
    writer.integer(1, total)
    writer.bool(2, isFinished)
  }

  init(state payload: inout PayloadReader) throws(PayloadError) {
    while let field = try payload.next() {
      switch field {
      case 1: total = try payload.integer()
      case 2: isFinished = try payload.bool()
      default: try payload.skip()
      }
    }
  }

  /// A total of seven owes something.
  var rest: Rest { total == 7 ? .wakeful : .asleep(until: nil) }
}
