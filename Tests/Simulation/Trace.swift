/// What happened, step by step: the last steps in words, all of them as one number.
struct Trace {
  static let kept = 30

  private(set) var hash: UInt64 = 0xCBF2_9CE4_8422_2325
  private var steps: [[String]] = []
  /// Prints everything as it happens: for the replay of one seed.
  let isLoud: Bool

  init(isLoud: Bool) { self.isLoud = isLoud }

  mutating func begin(_ step: Int, _ text: String) {
    if steps.count >= Self.kept { steps.removeFirst() }
    steps.append([])
    note("\(step)  \(text)")
  }

  mutating func note(_ text: String) {
    var hash = hash
    for byte in text.utf8 { hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01B3 }
    self.hash = hash
    if isLoud { print(text) }
    if steps.isEmpty { steps.append([]) }
    steps[steps.count - 1].append(text)
  }

  /// The last steps.
  var tail: String { steps.map { $0.joined(separator: "\n      ") }.joined(separator: "\n") }
}

/// A promise that was not kept.
struct Violation: Sendable {
  let invariant: Invariant
  let detail: String
  let step: Int
}

/// What holds after each step, or whenever everything is at rest.
enum Invariant: String, Sendable, CaseIterable {
  case nothingAcknowledgedIsLost = "nothing acknowledged is lost"
  case nothingVisibleBeforeDurable = "nothing visible before durable"
  case transcriptAsJournalled = "everybody sees the transcript as it was journalled"
  case inOrderWithoutGaps = "in order, no gap, nothing twice"
  case catchUpComplete = "a client that is there has everything"
  case onePushOneOutcome = "each push has one number and one outcome"
  case pushForWhatWasMissed = "a push for what the customer missed, and for nothing else"
  case nothingVanishes = "what could not be delivered is a dead letter"
  case newestOfAKeyStays = "the newest push of a collapse key stays"
  case timersFireInTime = "what is due happens, and not before"
  case conservation = "accepted = delivered + stored + ended with notice"
  case replayGivesTheSame = "replay from zero gives the states that live"
  case deadSessionsGetNothing = "a session that is over gets nothing"
  case everyRequestAnswered = "every request is answered"
  case honestAnswers = "no refusal without a reason"
  case mailIsKept = "an accepted message is delivered, pending, or ended by the rules"
  case mailOnce = "nothing comes back after its end"
  case mailIsBounded = "four keys and a hundred messages wait for a registration"
  case mailIsCounted = "a notice tells how many were dropped"
  case mailWaitsForTheAwake = "an idle device gets what is urgent, and nothing else"
  case broadcastReachesAll = "a broadcast reaches each that matches, once"
  case callbackByTheRules = "a callback goes by the rules"
  case callbackStaysOver = "a callback that is over stays over"
  case slotsHold = "no slot holds more than it has room for"
  case oneOfferEach = "an agent is given one callback at a time"
  case noCallbackIsStuck = "no callback waits while an agent is free"
  case commentIsTold = "an agent's public comment comes to each device that fits"
  case toldOnce = "a comment is told to a device under one id"
  case toldWhoFits = "nobody else is told, and nothing that is private"
  case oneOwnerEach = "an address has one owner"
  case supportByTheRules = "requests and their people go by the rules"
  case redactedIsGone = "what was redacted is gone"
  case statedIsBrought = "what an app states as not seen reaches it or its device"
  case agentsAreTold = "agents are told once that a customer is away"
  case nothingHeldForTheGone = "nothing is held for who has left"
  case journalIsSound = "the journal opens, and its chain verifies"
  case treeIsOfTheRecords = "the tree is that of the records, whatever became of them"
}
