public import EventSourcing

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
    case .advanced(let past): writer.text(3, past)
    case .finished(let receivers): writer.integer(1, receivers)
    case .erased: break
    }
  }

  public init(tag: EventTag, payload: inout PayloadReader) throws(PayloadError) {
    switch tag {
    case 1: self = .accepted(try BroadcastWork(payload: &payload))
    case 2:
      var past: String?
      while let field = try payload.next() { if field == 3 { past = try payload.text() } else { try payload.skip() } }
      guard let past else { throw .missingField(3) }
      self = .advanced(past: past)
    case 3:
      var receivers = 0
      while let field = try payload.next() {
        if field == 1 { receivers = try payload.count(field) } else { try payload.skip() }
      }
      self = .finished(receivers: receivers)
    case 4: self = .erased
    default: throw .unknownTag(tag)
    }
  }
}

extension BroadcastWork {
  fileprivate func encode(into writer: inout PayloadWriter) {
    writer.nested(1) { mail.encode(into: &$0) }
    writer.text(2, condition)
    writer.text(3, ifNotEmpty: past)
    if let apple = variants[.apple] { writer.nested(4) { apple.encode(into: &$0) } }
    if let web = variants[.web] { writer.nested(5) { web.encode(into: &$0) } }
  }

  fileprivate init(payload: inout PayloadReader) throws(PayloadError) {
    var mail: Mail?
    var condition: String?
    var past = ""
    var variants: [MessagePlatform: Mail] = [:]
    while let field = try payload.next() {
      switch field {
      case 4, 5:
        var inner = try payload.nested()
        variants[field == 4 ? .apple : .web] = try Mail(payload: &inner)
      case 1:
        var inner = try payload.nested()
        mail = try Mail(payload: &inner)
      case 2: condition = try payload.text()
      case 3: past = try payload.text()
      default: try payload.skip()
      }
    }
    guard let mail else { throw .missingField(1) }
    guard let condition else { throw .missingField(2) }
    self.init(mail: mail, variants: variants, condition: condition)
    self.past = past
  }
}

/// The state of a broadcast as snapshots hold it: its work 1 (absent: none), finished 2 (absent: no). Field numbers are
/// frozen.
extension Broadcast: RestorableState {
  public func encodeState(into writer: inout PayloadWriter) {
    if let work { writer.nested(1) { work.encode(into: &$0) } }
    if isFinished { writer.bool(2, true) }
  }

  public init(state payload: inout PayloadReader) throws(PayloadError) {
    self.init()
    while let field = try payload.next() {
      switch field {
      case 1:
        var inner = try payload.nested()
        work = try BroadcastWork(payload: &inner)
      case 2: isFinished = try payload.bool()
      default: try payload.skip()
      }
    }
  }
}
