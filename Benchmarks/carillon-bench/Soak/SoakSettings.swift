import ArgumentParser

/// What a soak is told.
struct SoakSettings: ParsableArguments {
  @Option(help: "How long the load runs; the checks come after it.") var minutes = 30.0
  @Option(help: "Messages a second; half of what the machine reaches if absent.") var rate: Double?
  @Option(help: "Customers at a time.") var chats = 400
  @Option(help: "Agents, each with a connection of its own.") var agents = 64
  @Option(help: "Connections a second that come and leave besides.") var visitors = 50
  @Option(help: "Restarts: a graceful one and a kill -9 in turn.") var restarts = 2
  @Option(help: "Who does what, and when, follows from it.") var seed: UInt64 = 15
  @Option(help: "Megabytes a minute that the server may grow by.") var atMost = 1.0
  @Option(help: "A fault of this side's own, to see that it is noticed: loss, outcome, descriptor or text.")
  var plant: SoakFault?

  func validate() throws {
    guard (0.5...1_440).contains(minutes), (0...100).contains(restarts), minutes * 60 / Double(restarts + 1) >= 10
    else {
      throw ValidationError("--minutes is 0.5 to 1440, and ten seconds are left to each life between --restarts")
    }
    guard (1...5_000).contains(chats), (1...500).contains(agents), (0...1_000).contains(visitors) else {
      throw ValidationError("--chats is 1 to 5000, --agents 1 to 500, --visitors 0 to 1000")
    }
    guard rate.map({ (1...100_000).contains($0) }) ?? true else { throw ValidationError("--rate is 1 to 100000") }
  }
}

/// What can be planted.
enum SoakFault: String, ExpressibleByArgument, CaseIterable, Sendable {
  /// A message that came is kept from the customer.
  case loss
  /// The end of a push is overlooked.
  case outcome
  /// A client stays when all have left.
  case descriptor
  /// Somebody is taken for erased who is not.
  case text
}

/// The times of a soak, which follow from its length.
struct SoakPlan: Sendable {
  let duration: Duration
  /// Between two snapshots.
  let beat: Duration
  /// Every so many of them somebody is erased: it reads the whole journal.
  let beatsToErasure: Int
  /// Of the table.
  let row: Duration
  /// How long a chat lasts.
  let chatSeconds: ClosedRange<Double>
  /// How long an ended one can still be read.
  let timeToLive: Int
  /// When the server is to be restarted, since the beginning.
  let restarts: [Duration]

  /// Before it is over a life of the server is still making what it keeps; one that does not last twice as long
  /// beyond it says nothing about its memory.
  static let warmUp = Duration.seconds(120)

  init(_ settings: SoakSettings) {
    let seconds = settings.minutes * 60
    duration = .seconds(seconds)
    beat = .seconds(min(max(seconds / 60, 4), 30))
    // Some twelve in all.
    beatsToErasure = max(1, Int(duration / beat) / 12)
    row = seconds >= 300 ? .seconds(60) : .seconds(10)
    chatSeconds = seconds >= 300 ? 20...60 : 5...15
    timeToLive = seconds >= 300 ? 60 : 20
    restarts = (0..<settings.restarts).map { .seconds(seconds * Double($0 + 1) / Double(settings.restarts + 1)) }
  }
}
