public import EventSourcing

/// The fields of a broadcast's events, beside those of the work that it is accepted with.
private enum Field {
  static let receivers = PayloadField<Count>(1)
  static let past = PayloadField<String>(3)
}

/// One message to a topic or a condition, on its way to all who match: accepted at once, handed out piece by piece.
///
/// ```
///   accept ─> running ──advance(past)──> running ──finish──> finished
/// ```
/// After a restart it goes on behind the last receiver that it has recorded; those after it that had the message already
/// know it by its id.
public struct Broadcast: Decider, Codable, Equatable {
  public typealias Command = BroadcastCommand
  public typealias Event = BroadcastEvent
  public typealias Rejection = Never
  public typealias Effect = BroadcastEffect

  /// Nil before it is accepted, and once it is over.
  public internal(set) var work: BroadcastWork?
  public internal(set) var isFinished = false

  public init() {}

  public var outstandingEffects: [BroadcastEffect] { work == nil ? [] : [.run] }

  public var rest: Rest { work == nil ? .asleep(until: nil) : .wakeful }

  public func decide(_ command: BroadcastCommand, now: Timestamp) -> [BroadcastEvent] {
    switch command {
    case .accept(let fresh): work == nil && !isFinished ? [.accepted(fresh)] : []
    case .advance(let past): work != nil && past != work?.past ? [.advanced(past: past)] : []
    case .finish(let receivers): work != nil ? [.finished(receivers: receivers)] : []
    case .erase: work != nil ? [.erased] : []
    }
  }

  public mutating func evolve(_ event: BroadcastEvent, at time: Timestamp) {
    switch event {
    case .accepted(let fresh): work = fresh
    case .advanced(let past): work?.past = past
    case .finished, .erased:
      work = nil
      isFinished = true
    }
  }

  public func react(to event: BroadcastEvent) -> [BroadcastEffect] {
    switch event {
    case .accepted: [.run]
    case .advanced: []
    case .finished, .erased: [.forget]
    }
  }
}

public struct BroadcastWork: Sendable, Equatable, Codable {
  /// The message, without a scope.
  public let mail: Mail
  /// What the devices of a platform get instead of it.
  public let variants: [MessagePlatform: Mail]
  /// The topic expression as text.
  public let condition: String
  /// The receiver that was served last, as its index writes it; empty for none.
  public internal(set) var past: String

  public init(mail: Mail, variants: [MessagePlatform: Mail] = [:], condition: String) {
    self.mail = mail
    self.variants = variants
    self.condition = condition
    past = ""
  }

  public func mail(for platform: MessagePlatform) -> Mail { variants[platform] ?? mail }
}

public enum BroadcastCommand: Sendable, Equatable {
  case accept(BroadcastWork)
  case advance(past: String)
  case finish(receivers: Int)
  case erase
}

public enum BroadcastEffect: Sendable, Equatable {
  /// There are receivers to serve.
  case run
  /// It is over.
  case forget
}

/// What happened to a broadcast. Tags and field numbers are frozen.
public enum BroadcastEvent: Sendable, Equatable, Codable {
  case accepted(BroadcastWork)
  case advanced(past: String)
  case finished(receivers: Int)
  case erased

  public static func isRestatement(_ tag: EventTag) -> Bool { tag == 4 }
}

extension BroadcastEvent: JournaledEvent {
  public var tag: EventTag {
    switch self {
    case .accepted: 1
    case .advanced: 2
    case .finished: 3
    case .erased: 4
    }
  }

  public func encode(into writer: inout PayloadWriter) {
    switch self {
    case .accepted(let work): work.encode(into: &writer)
    case .advanced(let past): writer.put(Field.past, past)
    case .finished(let receivers): writer.put(Field.receivers, receivers)
    case .erased: break
    }
  }

  public init(tag: EventTag, payload: inout PayloadReader) throws(PayloadError) {
    switch tag {
    case 1: self = .accepted(try BroadcastWork(payload: &payload))
    case 2: self = .advanced(past: try PayloadFields(&payload).required(Field.past))
    case 3: self = .finished(receivers: try PayloadFields(&payload)[Field.receivers] ?? 0)
    case 4: self = .erased
    default: throw .unknownTag(tag)
    }
  }
}

extension BroadcastWork: PayloadPart {
  private enum Field {
    static let mail = PayloadField<Mail>(1)
    static let condition = PayloadField<String>(2)
    static let past = PayloadField<String>(3)
    static let apple = PayloadField<Mail>(4)
    static let web = PayloadField<Mail>(5)
  }

  public func encode(into writer: inout PayloadWriter) {
    writer.put(Field.mail, mail)
    writer.put(Field.condition, condition)
    writer.put(Field.past, ifNotEmpty: past)
    writer.put(Field.apple, ifPresent: variants[.apple])
    writer.put(Field.web, ifPresent: variants[.web])
  }

  public init(payload: inout PayloadReader) throws(PayloadError) {
    let read = try PayloadFields(&payload)
    var variants: [MessagePlatform: Mail] = [:]
    variants[.apple] = try read[Field.apple]
    variants[.web] = try read[Field.web]
    self.init(mail: try read.required(Field.mail), variants: variants, condition: try read.required(Field.condition))
    past = try read[Field.past] ?? ""
  }
}

/// The state of a broadcast as snapshots hold it. Field numbers are frozen.
extension Broadcast: RestorableState {
  private enum Field {
    /// Absent: none.
    static let work = PayloadField<BroadcastWork>(1)
    static let isFinished = PayloadField<Bool>(2)
  }

  public func encodeState(into writer: inout PayloadWriter) {
    writer.put(Field.work, ifPresent: work)
    writer.put(Field.isFinished, ifTrue: isFinished)
  }

  public init(state payload: inout PayloadReader) throws(PayloadError) {
    self.init()
    let read = try PayloadFields(&payload)
    work = try read[Field.work]
    isFinished = try read[Field.isFinished] ?? false
  }
}
