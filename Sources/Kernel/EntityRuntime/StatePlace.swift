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
public struct EntityImage: Sendable, Equatable {
  public var brief: Brief
  public var state: [UInt8]

  public init(brief: Brief, state: [UInt8]) {
    self.brief = brief
    self.state = state
  }
}

extension EntityImage: PayloadPart {
  private enum Field {
    static let brief = PayloadField<Brief>(1)
    static let state = PayloadField<[UInt8]>(2)
  }

  public func encode(into writer: inout PayloadWriter) {
    writer.put(Field.brief, brief)
    writer.put(Field.state, state)
  }

  public init(payload: inout PayloadReader) throws(PayloadError) {
    let read = try PayloadFields(&payload)
    self.init(brief: try read.required(Field.brief), state: try read.required(Field.state))
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
}

extension Brief: PayloadPart {
  private enum Field {
    /// Absent: none.
    static let deadline = PayloadField<Timestamp>(1)
    /// Absent: asleep.
    static let isWakeful = PayloadField<Bool>(2)
    static let note = PayloadField<[UInt8]>(3)
  }

  public func encode(into writer: inout PayloadWriter) {
    switch rest {
    case .asleep(let deadline): writer.put(Field.deadline, ifPresent: deadline)
    case .wakeful: writer.put(Field.isWakeful, true)
    }
    writer.put(Field.note, ifNotEmpty: note)
  }

  public init(payload: inout PayloadReader) throws(PayloadError) {
    let read = try PayloadFields(&payload)
    self.init(
      rest: try read[Field.isWakeful] ?? false ? .wakeful : .asleep(until: try read[Field.deadline]),
      note: try read[Field.note] ?? [])
  }
}
