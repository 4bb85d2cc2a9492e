import EventSourcing

/// The figures of a day: what its chats add to them. Chats may be put in as often as they change: of each the last counts.
public struct ChatFigures: Sendable, Equatable {
  public let day: FigureDay
  /// By chat session id. Each chat once, wherever it has moved: what is counted is made of this, and nothing counted
  /// before is corrected.
  private var contributions: [String: ChatContribution] = [:]

  public init(of day: FigureDay) { self.day = day }

  /// Takes the place of what the chat added before. One of another day adds nothing.
  public mutating func put(_ contribution: ChatContribution?, of chatID: String) {
    guard let contribution, day.contains(contribution.startedAt) else {
      contributions[chatID] = nil
      return
    }
    contributions[chatID] = contribution
  }

  /// What the chats that fit come to.
  public func report(where fits: (ChatContribution) -> Bool = { _ in true }) -> ChatFigureReport {
    var total = ChatTally()
    var (services, agents) = ([String: ChatTally](), [String: ChatTally]())
    var hours = Array(repeating: ChatTally(), count: FigureDay.hours)
    for contribution in contributions.values where fits(contribution) {
      total.add(contribution)
      services[contribution.service, default: ChatTally()].add(contribution)
      if let agent = contribution.agent { agents[agent, default: ChatTally()].add(contribution) }
      hours[day.hour(of: contribution.startedAt)].add(contribution)
    }
    func named(_ tallies: [String: ChatTally]) -> [NamedFigures] {
      tallies.map { NamedFigures(name: $0.key, figures: $0.value.figures) }.sorted { $0.name < $1.name }
    }
    return ChatFigureReport(
      day: day, total: total.figures, services: named(services), agents: named(agents), hours: hours.map(\.figures))
  }
}

/// The figures of a day, as people read them.
public struct ChatFigureReport: Sendable, Equatable {
  public let day: FigureDay
  public let total: Figures
  /// In the order of their names.
  public let services: [NamedFigures]
  /// Of those who gave a chat its first answer; what waits or was given up is nobody's.
  public let agents: [NamedFigures]
  /// Of each hour, from midnight on, in which the chats began.
  public let hours: [Figures]
}

/// The figures of a service or of an agent.
public struct NamedFigures: Sendable, Equatable {
  public let name: String
  public let figures: Figures
}

/// How many chats there were, and how long they took.
public struct Figures: Sendable, Equatable {
  public var begun = 0
  /// An agent has answered.
  public var handled = 0
  /// The customer was gone before that.
  public var abandoned = 0
  /// Nil where nobody has answered.
  public var firstAnswer: Percentiles?
  /// Nil where none that was answered is over.
  public var handling: Percentiles?
}

/// How long half of them took at most, and nine of ten. Whole seconds, rounded.
public struct Percentiles: Sendable, Equatable {
  public let p50: Int
  public let p90: Int

  /// By the nearest rank: each is the time of a chat. Nil for none.
  init?(milliseconds: [Int64]) {
    guard !milliseconds.isEmpty else { return nil }
    let sorted = milliseconds.sorted()
    func seconds(_ percent: Int) -> Int {
      let time = sorted[(sorted.count * percent + 99) / 100 - 1]
      return Int(time / 1_000) + (time % 1_000 >= 500 ? 1 : 0)
    }
    (p50, p90) = (seconds(50), seconds(90))
  }
}

/// What is counted of some chats.
private struct ChatTally {
  private var begun = 0
  private var abandoned = 0
  private var firstAnswers: [Int64] = []
  private var handlings: [Int64] = []

  mutating func add(_ contribution: ChatContribution) {
    begun += 1
    if contribution.isAbandoned { abandoned += 1 }
    if let time = contribution.firstAnswerMilliseconds { firstAnswers.append(time) }
    if let time = contribution.handlingMilliseconds { handlings.append(time) }
  }

  var figures: Figures {
    Figures(
      begun: begun, handled: firstAnswers.count, abandoned: abandoned,
      firstAnswer: Percentiles(milliseconds: firstAnswers),
      handling: Percentiles(milliseconds: handlings))
  }
}
