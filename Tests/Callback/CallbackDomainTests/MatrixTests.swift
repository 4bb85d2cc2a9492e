import CallbackDomain
import EventSourcing
import Testing

/// What every action brings about wherever it may come.
@Suite("Callback, every action in every stage")
struct MatrixTests {
  static let actions: [(name: String, action: CallbackAction)] = [
    ("create", .create(CallbackRig.request())), ("alarm", .alarm), ("connect", .connect), ("snooze", .snooze),
    ("cancel", .cancel(note: "why")), ("new field", .update(fields: [NameValuePair("mood", "calm")], schedule: nil)),
    (
      "new time",
      .update(
        fields: [], schedule: CallbackSchedule(desiredTime: CallbackRig.time(7_200), slot: CallbackRig.time(7_200)))
    ),
    ("at once", .update(fields: [], schedule: CallbackSchedule(desiredTime: nil, slot: nil))),
    ("chatStarted", .chatStarted), ("chatEnded", .chatEnded), ("issue key", .issueKey("key")),
    ("a available", .agentAvailable(agentID: "a")), ("b available", .agentAvailable(agentID: "b")),
    ("a accepts", .agentAccepted(agentID: "a")), ("b accepts", .agentAccepted(agentID: "b")),
    ("a releases", .agentReleased(agentID: "a")), ("b releases", .agentReleased(agentID: "b")),
    ("a connects", .agentConnected(agentID: "a")), ("b connects", .agentConnected(agentID: "b")),
    ("a ends", .agentEnded(agentID: "a")), ("b ends", .agentEnded(agentID: "b")),
    ("a fails", .agentFailed(agentID: "a", reason: .error)), ("b fails", .agentFailed(agentID: "b", reason: .error)),
    ("a cancels", .agentFailed(agentID: "a", reason: .cancelled)),
    ("pushed", .pushHandedOver(number: 1)), ("erase", .erase),
  ]

  /// Nothing happens: `-`. Refused: in capitals. Else the events.
  static let table = """
    | action      | absent  | scheduled             | queued                | snoozed               |
    | create      | created | EXISTS                | EXISTS                | EXISTS                |
    | alarm       | -       | put-off               | put-off               | put-off               |
    | connect     | UNKNOWN | -                     | routed:confirmed      | routed:confirmed      |
    | snooze      | UNKNOWN | -                     | snoozed               | -                     |
    | cancel      | UNKNOWN | over:cancelled        | over:cancelled        | over:cancelled        |
    | new field   | UNKNOWN | fields                | fields                | fields                |
    | new time    | UNKNOWN | moved:later           | moved:later           | moved:later           |
    | at once     | UNKNOWN | moved:queue           | -                     | -                     |
    | chatStarted | UNKNOWN | STATE                 | routed:chatStarted    | routed:chatStarted    |
    | chatEnded   | -       | over:cancelled        | over:cancelled        | over:cancelled        |
    | issue key   | UNKNOWN | key                   | key                   | key                   |
    | a available | UNKNOWN | STATE                 | a:held asked:1        | STATE                 |
    | b available | UNKNOWN | STATE                 | b:held asked:1        | STATE                 |
    | a accepts   | UNKNOWN | NOT-YOURS             | NOT-YOURS             | NOT-YOURS             |
    | b accepts   | UNKNOWN | NOT-YOURS             | NOT-YOURS             | NOT-YOURS             |
    | a releases  | UNKNOWN | NOT-YOURS             | NOT-YOURS             | NOT-YOURS             |
    | b releases  | UNKNOWN | NOT-YOURS             | NOT-YOURS             | NOT-YOURS             |
    | a connects  | UNKNOWN | STATE                 | a:connected           | a:connected           |
    | b connects  | UNKNOWN | STATE                 | b:connected           | b:connected           |
    | a ends      | UNKNOWN | NOT-YOURS             | NOT-YOURS             | NOT-YOURS             |
    | b ends      | UNKNOWN | NOT-YOURS             | NOT-YOURS             | NOT-YOURS             |
    | a fails     | UNKNOWN | NOT-YOURS             | NOT-YOURS             | NOT-YOURS             |
    | b fails     | UNKNOWN | NOT-YOURS             | NOT-YOURS             | NOT-YOURS             |
    | a cancels   | UNKNOWN | NOT-YOURS             | NOT-YOURS             | NOT-YOURS             |
    | pushed      | -       | -                     | -                     | -                     |
    | erase       | -       | over:cancelled erased | over:cancelled erased | over:cancelled erased |

    | action      | asked                           | asked, no agent       | completed | forgotten |
    | create      | EXISTS                          | EXISTS                | EXISTS    | EXISTS    |
    | alarm       | put-off                         | put-off               | put-off   | -         |
    | connect     | routed:confirmed a:offered      | routed:confirmed      | FINISHED  | UNKNOWN   |
    | snooze      | a:released:agent snoozed        | snoozed               | FINISHED  | UNKNOWN   |
    | cancel      | over:cancelled                  | over:cancelled        | FINISHED  | UNKNOWN   |
    | new field   | fields                          | fields                | FINISHED  | UNKNOWN   |
    | new time    | a:released:replaced moved:later | moved:later           | FINISHED  | UNKNOWN   |
    | at once     | -                               | -                     | FINISHED  | UNKNOWN   |
    | chatStarted | routed:chatStarted a:offered    | routed:chatStarted    | FINISHED  | UNKNOWN   |
    | chatEnded   | over:cancelled                  | over:cancelled        | -         | -         |
    | issue key   | key                             | key                   | FINISHED  | UNKNOWN   |
    | a available | -                               | a:held                | FINISHED  | UNKNOWN   |
    | b available | NOT-YOURS                       | b:held                | FINISHED  | UNKNOWN   |
    | a accepts   | a:accepted                      | NOT-YOURS             | FINISHED  | UNKNOWN   |
    | b accepts   | NOT-YOURS                       | NOT-YOURS             | FINISHED  | UNKNOWN   |
    | a releases  | a:released:agent                | NOT-YOURS             | FINISHED  | UNKNOWN   |
    | b releases  | NOT-YOURS                       | NOT-YOURS             | FINISHED  | UNKNOWN   |
    | a connects  | a:connected                     | a:connected           | FINISHED  | UNKNOWN   |
    | b connects  | a:released:replaced b:connected | b:connected           | FINISHED  | UNKNOWN   |
    | a ends      | STATE                           | NOT-YOURS             | FINISHED  | UNKNOWN   |
    | b ends      | NOT-YOURS                       | NOT-YOURS             | FINISHED  | UNKNOWN   |
    | a fails     | over:error                      | NOT-YOURS             | FINISHED  | UNKNOWN   |
    | b fails     | NOT-YOURS                       | NOT-YOURS             | FINISHED  | UNKNOWN   |
    | a cancels   | INVALID                         | NOT-YOURS             | FINISHED  | UNKNOWN   |
    | pushed      | pushed:1                        | pushed:1              | -         | -         |
    | erase       | over:cancelled erased           | over:cancelled erased | erased    | -         |

    | action      | routing                         | routing, no agent     | processing            |
    | create      | EXISTS                          | EXISTS                | EXISTS                |
    | alarm       | put-off                         | put-off               | put-off               |
    | connect     | -                               | -                     | -                     |
    | snooze      | -                               | -                     | -                     |
    | cancel      | over:cancelled                  | over:cancelled        | over:cancelled        |
    | new field   | fields                          | fields                | fields                |
    | new time    | STATE                           | STATE                 | STATE                 |
    | at once     | -                               | -                     | -                     |
    | chatStarted | -                               | -                     | -                     |
    | chatEnded   | over:cancelled                  | over:cancelled        | over:agentConnected   |
    | issue key   | key                             | key                   | key                   |
    | a available | -                               | a:offered             | STATE                 |
    | b available | NOT-YOURS                       | b:offered             | STATE                 |
    | a accepts   | a:accepted                      | NOT-YOURS             | -                     |
    | b accepts   | NOT-YOURS                       | NOT-YOURS             | NOT-YOURS             |
    | a releases  | a:released:agent                | NOT-YOURS             | STATE                 |
    | b releases  | NOT-YOURS                       | NOT-YOURS             | NOT-YOURS             |
    | a connects  | a:connected                     | a:connected           | -                     |
    | b connects  | a:released:replaced b:connected | b:connected           | NOT-YOURS             |
    | a ends      | STATE                           | NOT-YOURS             | over:agentConnected   |
    | b ends      | NOT-YOURS                       | NOT-YOURS             | NOT-YOURS             |
    | a fails     | over:error                      | NOT-YOURS             | over:error            |
    | b fails     | NOT-YOURS                       | NOT-YOURS             | NOT-YOURS             |
    | a cancels   | INVALID                         | NOT-YOURS             | INVALID               |
    | pushed      | -                               | -                     | -                     |
    | erase       | over:cancelled erased           | over:cancelled erased | over:cancelled erased |
    """

  /// What the table says, by action and stage.
  static let cells: [String: [String: String]] = {
    var cells: [String: [String: String]] = [:]
    var header: [String] = []
    for line in table.split(separator: "\n", omittingEmptySubsequences: false) {
      let words = line.split(separator: "|").map { $0.trimming(" ") }
      if words.isEmpty || header.isEmpty {
        header = words
      } else {
        for (stage, cell) in zip(header, words).dropFirst() { cells[words[0], default: [:]][stage] = cell }
      }
    }
    return cells
  }()

  @Test("brings about what the table says", arguments: Stage.allCases)
  func outcomes(stage: Stage) throws {
    for (name, action) in Self.actions {
      #expect(try Self.outcome(of: action, stage) == Self.cells[name]?[stage.rawValue], "\(name)")
    }
  }

  static func outcome(of action: CallbackAction, _ stage: Stage) throws -> String {
    var rig = try stage.rig()
    let before = rig.callback
    do {
      let turn = try rig.when(action, at: 35)
      if turn.events.isEmpty { #expect(rig.callback == before) }
      return turn.events.isEmpty ? "-" : turn.events.map(word).joined(separator: " ")
    } catch let rejection as CallbackRejection {
      #expect(rig.callback == before)
      return word(rejection)
    }
  }

  private static func word(_ event: CallbackEvent) -> String {
    switch event {
    case .created: "created"
    case .cameDue: "due"
    case .agentReserved(let agent, let until): until == nil ? "\(agent):held" : "\(agent):offered"
    case .confirmationAsked(let attempt, _, _): "asked:\(attempt)"
    case .routed(let why, _): "routed:\(why)"
    case .snoozed: "snoozed"
    case .snoozeEnded: "awake"
    case .agentAccepted(let agent, _): "\(agent):accepted"
    case .agentReleased(let agent, let why): "\(agent):released:\(why)"
    case .connected(let agent): "\(agent):connected"
    case .completed(let reason, _, _): "over:\(reason)"
    case .rescheduled(_, _, let dueAt): dueAt == nil ? "moved:queue" : "moved:later"
    case .fieldsChanged: "fields"
    case .pushHandedOver(let number): "pushed:\(number)"
    case .forgotten: "forgotten"
    case .erased: "erased"
    case .alarmPutOff: "put-off"
    case .keyIssued: "key"
    }
  }

  private static func word(_ rejection: CallbackRejection) -> String {
    switch rejection {
    case .unknown: "UNKNOWN"
    case .exists: "EXISTS"
    case .finished: "FINISHED"
    case .wrongState: "STATE"
    case .notYours: "NOT-YOURS"
    case .tooLong, .tooManyFields: "LIMIT"
    case .invalid: "INVALID"
    }
  }
}

extension Substring {
  fileprivate func trimming(_ character: Character) -> String {
    let end = lastIndex { $0 != character }.map { index(after: $0) } ?? startIndex
    return String(self[..<end].drop { $0 == character })
  }
}
