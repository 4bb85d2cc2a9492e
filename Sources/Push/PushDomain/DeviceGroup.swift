public import EventSourcing

/// The fields of a group's events and of its state. A number means the same in all of them.
private enum Field {
  /// Absent in a state: it has no members.
  static let key = PayloadField<String>(1)
  static let members = PayloadField<String>(2)
  static let state = PayloadField<[UInt8]>(3)
}

/// Some registrations of one sender that are sent to as one: the devices of a user. Spec: GCM B7.
public struct DeviceGroup: Decider, Codable, Equatable {
  public typealias Command = DeviceGroupCommand
  public typealias Event = DeviceGroupEvent
  public typealias Rejection = DeviceGroupRejection
  public typealias Effect = DeviceGroupEffect

  /// Nil as long as there are no members. Spec: GCM B7.4.
  public internal(set) var key: String?
  /// Registration tokens.
  public internal(set) var members: [String] = []

  /// Spec: GCM B7.4.
  public static let membersMaximum = 20

  public init() {}

  public var outstandingEffects: [DeviceGroupEffect] { [] }

  /// Never: its name can be used again.
  public var isFinished: Bool { false }

  public var rest: Rest { .asleep(until: nil) }

  public func decide(_ command: DeviceGroupCommand, now: Timestamp) throws(DeviceGroupRejection) -> [DeviceGroupEvent] {
    switch command {
    case .create(let fresh, let tokens):
      guard key == nil else { throw .exists }
      let members = Self.unique(tokens)
      guard members.count <= Self.membersMaximum else { throw .tooManyMembers }
      return members.isEmpty ? [] : [.created(key: fresh, members: members)]
    case .change(let add, let remove):
      guard key != nil else { throw .notFound }
      let leaving = Set(remove)
      let remaining = Self.unique(members + add).filter { !leaving.contains($0) }
      guard remaining.count <= Self.membersMaximum else { throw .tooManyMembers }
      if remaining == members { return [] }
      return [remaining.isEmpty ? .ended : .changed(members: remaining)]
    case .erase(let tokens):
      var rest = self
      let leaving = Set(tokens)
      rest.members.removeAll { leaving.contains($0) }
      if rest.members.isEmpty { rest.key = nil }
      return [.erased(state: rest.stateBytes)]
    }
  }

  public mutating func evolve(_ event: DeviceGroupEvent, at time: Timestamp) {
    switch event {
    case .created(let fresh, let members):
      key = fresh
      self.members = members
    case .changed(let members):
      self.members = members
    case .ended:
      key = nil
      members = []
    case .erased(let state):
      // Bytes that are no state are refused when the event is decoded.
      if let state = try? DeviceGroup(stateBytes: state) { self = state }
    }
  }

  public func react(to event: DeviceGroupEvent) -> [DeviceGroupEffect] { [.changed] }

  private static func unique(_ tokens: [String]) -> [String] {
    var seen: Set<String> = []
    return tokens.filter { seen.insert($0).inserted }
  }
}

public enum DeviceGroupCommand: Sendable, Equatable {
  /// - Parameter key: the notification key that it will have.
  case create(key: String, tokens: [String])
  /// What is added and is there, or removed and is not, changes nothing.
  case change(add: [String], remove: [String])
  /// These members go, and the group is stated anew, so that records before this moment can be erased.
  case erase(tokens: [String])
}

public enum DeviceGroupRejection: Error, Equatable {
  case exists
  case notFound
  case tooManyMembers
}

public enum DeviceGroupEffect: Sendable, Equatable {
  /// The index of notification keys has to follow.
  case changed
}

/// What happened to a device group. Tags and field numbers are frozen.
public enum DeviceGroupEvent: Sendable, Equatable, Codable {
  case created(key: String, members: [String])
  case changed(members: [String])
  /// Its last member has left.
  case ended
  /// `state` is all that is left, as `encodeState` wrote it.
  case erased(state: [UInt8])

  public static func isRestatement(_ tag: EventTag) -> Bool { tag == 4 }
}

extension DeviceGroupEvent: JournaledEvent {
  public var tag: EventTag {
    switch self {
    case .created: 1
    case .changed: 2
    case .ended: 3
    case .erased: 4
    }
  }

  public func encode(into writer: inout PayloadWriter) {
    switch self {
    case .created(let key, let members):
      writer.put(Field.key, key)
      writer.put(each: Field.members, members)
    case .changed(let members): writer.put(each: Field.members, members)
    case .ended: break
    case .erased(let state): writer.put(Field.state, state)
    }
  }

  public init(tag: EventTag, payload: inout PayloadReader) throws(PayloadError) {
    let read = try PayloadFields(&payload)
    switch tag {
    case 1: self = .created(key: try read.required(Field.key), members: try read.all(Field.members))
    case 2: self = .changed(members: try read.all(Field.members))
    case 3: self = .ended
    case 4:
      let state = try read.required(Field.state)
      // `evolve` asks no questions, so the answer is found here.
      _ = try DeviceGroup(stateBytes: state)
      self = .erased(state: state)
    default: throw .unknownTag(tag)
    }
  }
}

/// The state of a group as snapshots hold it. Field numbers are frozen.
extension DeviceGroup: RestorableState {
  public func encodeState(into writer: inout PayloadWriter) {
    writer.put(Field.key, ifPresent: key)
    writer.put(each: Field.members, members)
  }

  public init(state payload: inout PayloadReader) throws(PayloadError) {
    self.init()
    let read = try PayloadFields(&payload)
    key = try read[Field.key]
    members = try read.all(Field.members)
  }
}
