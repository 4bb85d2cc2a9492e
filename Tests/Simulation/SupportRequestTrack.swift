import EventSourcing
import SupportDomain

/// One request as its records tell it.
struct SupportRequestTrack {
  struct Comment {
    let role: SupportRole
    let isPublic: Bool
    let body: String
  }

  /// A notification that waits for an open stream.
  struct Waiting {
    let at: Timestamp
    let clock: Int
  }

  private(set) var requester = ""
  private(set) var app: String?
  private(set) var isFromSDK = false
  private(set) var status = SupportStatus.new
  private(set) var comments: [Int: Comment] = [:]
  /// All that were ever given out.
  private(set) var duties: [Int: SupportDuty.Kind] = [:]
  private(set) var open: Set<Int> = []
  private(set) var waiting: [Int: Waiting] = [:]
  /// Devices that have shown a comment while its notification waited.
  private(set) var refreshed: [Int: Set<Int>] = [:]
  /// The comments of which it is decided who is told.
  private(set) var settled: Set<Int> = []
  /// Of the last turn: to be told of, and neither waiting nor settled.
  var untold: Set<Int> = []
  private(set) var isErased = false

  var isMade: Bool { !comments.isEmpty || isErased }
  var isOpen: Bool { isMade && !isErased && status != .closed }
  var publicCount: Int { comments.values.count { $0.isPublic } }

  mutating func apply(_ event: SupportRequestEvent, at time: Timestamp, clock: Int) throws {
    switch event {
    case .created(let terms, let comment, _, _, let duties):
      guard !isMade else { throw Failure(.supportByTheRules, "it is made a second time") }
      (requester, app, isFromSDK) = (String(terms.requester), terms.app, terms.channel == .mobileSDK)
      try add(comment)
      try owe(duties)
    case .commentAdded(let comment, let noticeAt, let duties):
      guard isOpen else { throw Failure(.supportByTheRules, "a comment, and it is \(status)") }
      try add(comment)
      if let noticeAt {
        waiting[comment.number] = Waiting(at: noticeAt, clock: clock)
      } else if isToBeTold(comment.number) {
        untold.insert(comment.number)
      }
      try owe(duties)
    case .updated(_, let status, _, _, _, let duties):
      guard isOpen else { throw Failure(.supportByTheRules, "an update, and it is \(self.status)") }
      self.status = status ?? self.status
      try owe(duties)
    case .notificationPlanned(let comment, let duties):
      try settle(comment, at: time, clock: clock)
      for duty in duties {
        guard case .notify(comment, let part) = duty.kind, !part.devices.isEmpty else {
          throw Failure(.supportByTheRules, "duty \(duty.number) is no notification of comment \(comment)")
        }
      }
      try owe(duties)
    case .notificationSuppressed(let comment, let reason, let devices):
      if reason == .refreshed {
        guard !devices.isEmpty, refreshed[comment, default: []].isSuperset(of: devices) else {
          throw Failure(.commentIsTold, "the devices \(devices) have not shown comment \(comment)")
        }
        // Beside the plan for the others.
        if settled.contains(comment) { break }
      }
      if reason == .coalesced, !comments.keys.contains(where: { $0 > comment && waiting[$0] != nil }) {
        throw Failure(.commentIsTold, "no newer one takes the place of comment \(comment)")
      }
      try settle(comment, at: reason == .coalesced ? nil : time, clock: clock)
    case .refreshed(let comment, let device):
      guard waiting[comment] != nil else { throw Failure(.supportByTheRules, "comment \(comment) waits for nothing") }
      refreshed[comment, default: []].insert(device)
    case .handedOver(let number):
      guard open.remove(number) != nil else { throw Failure(.onePushOneOutcome, "duty \(number) is not owed") }
    case .erased(let state):
      guard try SupportRequest(stateBytes: state).terms == nil else { break }
      (isErased, open, waiting, untold) = (true, [], [:], [])
    case .read, .filesDropped, .alarmPutOff: break
    }
  }

  /// Spec: support requests 4.
  func isToBeTold(_ number: Int) -> Bool {
    guard isFromSDK, app != nil, let comment = comments[number] else { return false }
    return comment.isPublic && comment.role == .agent
  }

  private mutating func add(_ comment: SupportComment) throws {
    guard comment.number == comments.count + 1 else {
      throw Failure(.inOrderWithoutGaps, "comment \(comment.number) follows \(comments.count)")
    }
    comments[comment.number] = Comment(role: comment.role, isPublic: comment.isPublic, body: comment.body)
  }

  private mutating func owe(_ fresh: [SupportDuty]) throws {
    for duty in fresh {
      guard duty.number == duties.count + 1 else {
        throw Failure(.onePushOneOutcome, "duty \(duty.number) follows \(duties.count)")
      }
      duties[duty.number] = duty.kind
      open.insert(duty.number)
    }
  }

  /// Once, in the order of the comments, for those that are for the requester, and not before its time.
  private mutating func settle(_ comment: Int, at time: Timestamp?, clock: Int) throws {
    guard isToBeTold(comment) else {
      throw Failure(.toldWhoFits, "comment \(comment) notifies, and is not for the requester's devices")
    }
    guard settled.insert(comment).inserted else { throw Failure(.toldOnce, "comment \(comment) is decided on twice") }
    if let time, let later = settled.max(), later > comment {
      throw Failure(.inOrderWithoutGaps, "comment \(comment) is told of after \(later), at \(time)")
    }
    untold.remove(comment)
    guard let entry = waiting.removeValue(forKey: comment), let time else { return }
    if entry.clock == clock, time < entry.at {
      throw Failure(.timersFireInTime, "comment \(comment) is told of before \(entry.at)")
    }
  }
}
