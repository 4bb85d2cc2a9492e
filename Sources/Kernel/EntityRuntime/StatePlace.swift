public import EventSourcing

/// A file that keeps the states of sleeping entities.
public protocol StateFile: AnyObject, Sendable {
  /// The image that was put at `place`; blocks for one read.
  /// - Throws: if the file cannot be read, or is not what was written.
  func image(at place: StatePlace.Address) throws -> [UInt8]
}

/// Where the state of a sleeping entity lies. 24 bytes, since there may be a million of them.
public struct StatePlace: Sendable {
  /// What the file finds an image by; means something to that file only.
  public struct Address: Sendable, Hashable, Comparable {
    public let high: UInt64
    public let low: UInt64

    public init(high: UInt64, low: UInt64) {
      self.high = high
      self.low = low
    }

    public static func < (left: Address, right: Address) -> Bool {
      (left.high, left.low) < (right.high, right.low)
    }
  }

  public let file: any StateFile
  public let address: Address

  public init(file: any StateFile, address: Address) {
    self.file = file
    self.address = address
  }

  public func image() throws -> [UInt8] { try file.image(at: address) }
}

/// An entity as bytes: what is known of it while it sleeps, and its state.
///
/// | field | |
/// |---|---|
/// | 1 | brief: nested 1 deadline (absent: none), 2 awake (absent: asleep), 3 note |
/// | 2 | state |
public struct EntityImage: Sendable, Equatable {
  public var brief: Brief
  public var state: [UInt8]

  public init(brief: Brief, state: [UInt8]) {
    self.brief = brief
    self.state = state
  }

  public var bytes: [UInt8] {
    var writer = PayloadWriter()
    writer.data(1, brief.bytes)
    writer.data(2, state)
    return writer.bytes
  }

  public init(bytes: [UInt8]) throws(PayloadError) {
    var (brief, state) = ([UInt8]?.none, [UInt8]?.none)
    try bytes.withUnsafeBufferPointer { buffer throws(PayloadError) in
      var payload = PayloadReader(UnsafeRawBufferPointer(buffer))
      while let field = try payload.next() {
        switch field {
        case 1: brief = try payload.data()
        case 2: state = try payload.data()
        default: try payload.skip()
        }
      }
    }
    guard let brief else { throw .missingField(1) }
    guard let state else { throw .missingField(2) }
    self.init(brief: try Brief(bytes: brief), state: state)
  }
}

/// What is known of an entity while it sleeps.
public struct Brief: Sendable, Equatable {
  public var rest: Rest
  /// What the directories of its kind need to find it.
  public var note: [UInt8]

  public init(rest: Rest, note: [UInt8]) {
    self.rest = rest
    self.note = note
  }

  public var bytes: [UInt8] {
    var writer = PayloadWriter()
    switch rest {
    case .asleep(let deadline): if let deadline { writer.time(1, deadline) }
    case .wakeful: writer.bool(2, true)
    }
    if !note.isEmpty { writer.data(3, note) }
    return writer.bytes
  }

  public init(bytes: [UInt8]) throws(PayloadError) {
    var (deadline, isWakeful, note) = (Timestamp?.none, false, [UInt8]())
    try bytes.withUnsafeBufferPointer { buffer throws(PayloadError) in
      var payload = PayloadReader(UnsafeRawBufferPointer(buffer))
      while let field = try payload.next() {
        switch field {
        case 1: deadline = try payload.time()
        case 2: isWakeful = try payload.bool()
        case 3: note = try payload.data()
        default: try payload.skip()
        }
      }
    }
    self.init(rest: isWakeful ? .wakeful : .asleep(until: deadline), note: note)
  }
}
