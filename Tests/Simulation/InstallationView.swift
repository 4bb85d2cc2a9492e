import EventSourcing
import GCMProtocol
import PushDomain

/// A device that has checked in, as its records tell it.
struct InstallationView {
  struct Registration {
    let app: String
    let senders: Set<String>
    var topics: Set<SenderTopic> = []
  }

  private(set) var isKnown = false
  private(set) var live: [Int: Registration] = [:]
  private(set) var isErased = false

  mutating func apply(_ event: InstallationEvent) throws {
    switch event {
    case .checkedIn: isKnown = true
    case .registered(let fresh):
      guard isKnown else { throw Failure(.honestAnswers, "an unknown device registers \(fresh.app)") }
      live[fresh.number] = Registration(
        app: fresh.app, senders: Set(fresh.senders), topics: live[fresh.number]?.topics ?? [])
    case .registrationEnded(let number, _): live[number] = nil
    case .keysSet: break
    case .topicJoined(let number, let topic): live[number]?.topics.insert(topic)
    case .topicLeft(let number, let topic): live[number]?.topics.remove(topic)
    case .erased(let state):
      guard try Installation(stateBytes: state).identity == nil else { return }
      self = InstallationView()
      isErased = true
    }
  }
}

/// A message to a topic or a condition, as the records tell it.
struct BroadcastView {
  let mail: Mail
  let condition: TopicCondition
  /// Registrations that have matched from the beginning on: each of them has to get it.
  private(set) var owed: Set<String>
  /// Registrations that have matched at some moment: nobody else may get it.
  private(set) var mayGet: Set<String>
  private(set) var isFinished = false

  /// - Parameter recent: what they were a moment ago, if that may have been the moment of its beginning.
  init(_ work: BroadcastWork, _ installations: [String: InstallationView], _ recent: RecentInstallations?) throws {
    mail = work.mail
    condition = try TopicCondition(parsing: work.condition)
    (owed, mayGet) = ([], [])
    owed = matching(installations)
    mayGet = owed
    if let recent {
      let former = matching(recent.before)
      owed.formIntersection(former)
      mayGet.formUnion(former)
      for (key, installation) in recent.changes { follow(key, installation) }
    }
  }

  private func matching(_ installations: [String: InstallationView]) -> Set<String> {
    installations.reduce(into: []) { scopes, one in
      for number in one.value.live.keys where matches(number, of: one.value) { scopes.insert("\(one.key)/\(number)") }
    }
  }

  /// Something is another now on this device.
  mutating func follow(_ key: String, _ installation: InstallationView) {
    guard !isFinished else { return }
    let prefix = "\(key)/"
    owed = owed.filter { scope in
      guard scope.hasPrefix(prefix), let number = Int(scope.dropFirst(prefix.count)) else { return true }
      return matches(number, of: installation)
    }
    for number in installation.live.keys where matches(number, of: installation) { mayGet.insert(prefix + "\(number)") }
  }

  mutating func finish() { isFinished = true }

  private func matches(_ number: Int, of installation: InstallationView) -> Bool {
    guard let registration = installation.live[number], registration.senders.contains(mail.sender) else { return false }
    return condition.matches { registration.topics.contains(SenderTopic(sender: mail.sender, name: $0)) }
  }
}

/// Installations at the beginning of an epoch, and each of their states since.
struct RecentInstallations {
  let epoch: Int
  let before: [String: InstallationView]
  var changes: [(key: String, installation: InstallationView)] = []
}
