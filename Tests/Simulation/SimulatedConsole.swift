import Engine
import EventSourcing

/// Who is signed in to the console, as far as they know it themselves.
///
/// With a chance of its own, so that everybody else draws what they drew before there was a console.
final class SimulatedConsole {
  /// What is certain of a session.
  enum Standing {
    case open(since: Timestamp, idleSeconds: Int)
    case over
  }

  var chance: Chance
  /// Of those about which nothing is being asked. What the server did not answer is not among them.
  var standings: [String: Standing] = [:]
  private var number = 0
  /// The latest that the wall clock has shown: what has come to its end by that does not come back.
  private var latest = Timestamp.epoch

  init(seed: UInt64) { chance = Chance(seed: seed ^ 0xC025_01E5_E551_0115) }

  /// A key that nobody has had, and the token that it is to act as.
  func next() -> (key: String, token: String) {
    number += 1
    return ("session-\(number)", Self.token(number))
  }

  static func token(of key: String) -> String { token(Int(key.dropFirst("session-".count)) ?? 0) }
  private static func token(_ number: Int) -> String { "token-\(number)" }

  /// Takes those out of which nothing is certain any more, since the clock has gone past their end.
  func forgetTheOld(at now: Timestamp) {
    latest = max(latest, now)
    for (key, standing) in standings {
      guard case .open(let start, let seconds) = standing, start.advanced(by: .seconds(seconds)) <= latest else {
        continue
      }
      standings[key] = nil
    }
  }
}

extension World {
  private static let consoleSessionsMaximum = 12

  /// Now and then somebody signs in, works, or signs out; and each time all that is certain has to be so.
  func consoleStep() {
    console.forgetTheOld(at: time.now)
    guard let life, life.isReady, !life.isOver, !life.isStopping, life.failure == nil, survivor == nil else { return }
    checkConsole(life)
    guard console.chance.comes(3) else { return }
    let keys = console.standings.keys.sorted()
    switch console.chance.below(10) {
    case 0..<5 where keys.count < Self.consoleSessionsMaximum: signIn(life)
    case 5..<7:
      guard let key = console.chance.one(of: keys) else { return }
      life.engine.console.used(key)
    default:
      guard let key = console.chance.one(of: keys) else { return }
      end(key, life)
    }
  }

  private func signIn(_ life: Life) {
    let (key, token) = console.next()
    trace.note("\(key) signs in to the console")
    ask("console", in: life) {
      try await $0.console.open(key, tokenID: token, name: token, role: "agent")
    } then: { [self] result in
      guard case .success(let view) = result else { return }
      console.standings[key] = .open(since: view.openedAt, idleSeconds: view.terms.idleSeconds)
    }
  }

  private func end(_ key: String, _ life: Life) {
    guard let known = console.standings.removeValue(forKey: key) else { return }
    trace.note("\(key) signs out of the console")
    ask("console", in: life) {
      try await $0.console.end(key, .signedOut)
    } then: { [self] result in
      guard case .success(let isEnded) = result else { return }
      if case .over = known, isEnded { violated(.nothingAcknowledgedIsLost, "\(key) has ended twice") }
      console.standings[key] = .over
    }
  }

  private func checkConsole(_ life: Life) {
    for (key, standing) in console.standings {
      let found = life.engine.console.tokenID(of: key)
      switch standing {
      case .open where found != SimulatedConsole.token(of: key):
        violated(.nothingAcknowledgedIsLost, "\(key) is not signed in any more")
      case .over where found != nil: violated(.nothingAcknowledgedIsLost, "\(key) has signed out and is signed in")
      case .open, .over: break
      }
    }
  }
}
