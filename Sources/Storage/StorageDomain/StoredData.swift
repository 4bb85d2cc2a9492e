public import EventSourcing

/// A few named texts and files that an app keeps here for a while. Spec: GMS 11.
///
/// ```
///   store ─> kept ──store, remove, renew──> kept ──expire, end, erase──> finished
/// ```
/// The files themselves lie beside the journal: the state names them by their hash, and each event that changes which
/// they are says in its effect which are left.
public struct StoredData: Decider, Codable, Equatable {
  public typealias Command = StorageCommand
  public typealias Event = StorageEvent
  public typealias Rejection = StorageRejection
  public typealias Effect = StorageEffect

  /// In the order in which they came first; names are unique.
  public internal(set) var pairs: [StoredPair] = []
  /// Nil: whoever knows the id may have it.
  public internal(set) var name: StorageName?
  public internal(set) var createdAt = Timestamp.epoch
  /// Nil before there is anything, and once it is over.
  public internal(set) var expiresAt: Timestamp?
  public internal(set) var isFinished = false

  public init() {}

  public subscript(name: String) -> StoredValue? { pairs.first { $0.name.isNamed(name) }?.value }

  public var files: [StoredFile] {
    pairs.compactMap { if case .file(let file) = $0.value { file } else { nil } }
  }

  public var outstandingEffects: [StorageEffect] { expiresAt.map { [.setAlarm($0)] } ?? [] }

  public var rest: Rest { .asleep(until: expiresAt) }

  public func decide(_ command: StorageCommand, now: Timestamp) throws(StorageRejection) -> [StorageEvent] {
    if case .store(let change, let limits) = command { return [try store(change, limits, now)] }
    guard let expiresAt else {
      switch command {
      case .remove, .end: throw .unknown
      case .store, .renew, .expire, .erase: return []
      }
    }
    switch command {
    case .store: return []
    case .remove(let name):
      guard expiresAt > now else { throw .unknown }
      guard self[name] != nil else { throw .unknownKey }
      return [.removed(name)]
    case .renew(let until): return until > expiresAt ? [.renewed(until: until)] : []
    case .expire: return expiresAt <= now ? [.ended(reason: "expired")] : []
    case .end(let reason):
      guard expiresAt > now else { throw .unknown }
      return [.ended(reason: reason)]
    case .erase: return [.erased]
    }
  }

  private func store(
    _ change: StorageChange, _ limits: StorageLimits, _ now: Timestamp
  ) throws(StorageRejection) -> StorageEvent {
    guard !isFinished, change.mayBeNew || expiresAt != nil, expiresAt.map({ $0 > now }) ?? true else { throw .unknown }
    let merged = merged(with: change.pairs)
    guard merged.count <= limits.keysMaximum else { throw .tooManyKeys(limit: limits.keysMaximum) }
    guard merged.reduce(0, { $0 + $1.byteCount }) <= limits.recordBytesMaximum else {
      throw .tooLarge(limit: limits.recordBytesMaximum)
    }
    return .stored(change.pairs, name: expiresAt == nil ? change.name : name, until: change.until)
  }

  private func merged(with changed: [StoredPair]) -> [StoredPair] {
    var merged = pairs
    for pair in changed {
      if let place = merged.firstIndex(where: { $0.name.isNamed(pair.name) }) {
        merged[place] = pair
      } else {
        merged.append(pair)
      }
    }
    return merged
  }

  public mutating func evolve(_ event: StorageEvent, at time: Timestamp) {
    switch event {
    case .stored(let changed, let name, let until):
      if expiresAt == nil { createdAt = time }
      pairs = merged(with: changed)
      self.name = name
      expiresAt = until
    case .removed(let name):
      pairs.removeAll { $0.name.isNamed(name) }
    case .renewed(let until):
      expiresAt = until
    case .ended, .erased:
      pairs = []
      name = nil
      expiresAt = nil
      isFinished = true
    }
  }

  public func react(to event: StorageEvent) -> [StorageEffect] {
    switch event {
    case .stored(_, _, let until): [.holds(files), .setAlarm(until)]
    case .removed: [.holds(files)]
    case .renewed(let until): [.setAlarm(until)]
    case .ended, .erased: [.holds([]), .forget]
    }
  }
}

public struct StoredPair: Sendable, Equatable, Codable {
  public let name: String
  public let value: StoredValue

  public init(_ name: String, _ value: StoredValue) {
    self.name = name
    self.value = value
  }

  var byteCount: Int { name.utf8.count + value.byteCount }
}

public enum StoredValue: Sendable, Equatable, Codable {
  case text(String)
  case file(StoredFile)
  /// There is none, whatever the data below this has: an attached value of a service instance that was deleted.
  case hidden

  var byteCount: Int {
    switch self {
    case .text(let text): text.utf8.count
    case .file(let file): file.byteCount
    case .hidden: 0
    }
  }
}

/// A file by what is in it.
public struct StoredFile: Sendable, Equatable, Codable {
  /// SHA-256 of the content.
  public let digest: [UInt8]
  public let byteCount: Int
  /// As the app said it; a plain text that is too long for the journal has `text/plain`.
  public let contentType: String
  /// As the app said it.
  public let name: String?
  /// It came as a text, and is one for whoever asks.
  public let isText: Bool

  public init(digest: [UInt8], byteCount: Int, contentType: String, name: String?, isText: Bool = false) {
    self.digest = digest
    self.byteCount = byteCount
    self.contentType = contentType
    self.name = name
    self.isText = isText
  }
}

/// How data is found that does not go by an id of the server's.
public enum StorageName: Sendable, Hashable, Codable {
  /// Stored by a user under an id of their own, and seen by this user only. Spec: GMS 11, `custom`.
  case custom(id: String, user: String)
  /// The data of a service instance.
  case instance(String)
  /// A file that was sent in the chat of a service instance: its alone, and only the chat leads to it.
  case file(id: String, chat: String)
}

public struct StorageLimits: Sendable, Equatable {
  public var keysMaximum = 128
  /// Bytes of one key's name, of a file's name and of a content type.
  public var nameBytesMaximum = 256
  /// A longer text is kept as a file. With all keys at this bound a record still fits into one event of the journal.
  public var inlineBytesMaximum = 4_096
  /// Bytes of all keys of one record.
  public var recordBytesMaximum = 20_971_520

  public init() {}
}

/// What `store` is to change.
public struct StorageChange: Sendable, Equatable {
  public let pairs: [StoredPair]
  public let until: Timestamp
  /// False if there has to be something already.
  public let mayBeNew: Bool
  /// For new data.
  public let name: StorageName?

  public init(_ pairs: [StoredPair], until: Timestamp, mayBeNew: Bool, name: StorageName? = nil) {
    self.pairs = pairs
    self.until = until
    self.mayBeNew = mayBeNew
    self.name = name
  }
}

public enum StorageCommand: Sendable, Equatable {
  /// Adds and replaces keys, and renews the life time.
  case store(StorageChange, limits: StorageLimits = StorageLimits())
  case remove(String)
  case renew(until: Timestamp)
  /// Its alarm: the time may have come.
  case expire
  case end(reason: String)
  /// Everything of it is erased, and it ends.
  case erase
}

public enum StorageRejection: Error, Equatable {
  /// There is none, or none any more.
  case unknown
  case unknownKey
  case tooManyKeys(limit: Int)
  case tooLarge(limit: Int)
}

public enum StorageEffect: Sendable, Equatable {
  /// These files and no others are needed by it from now on.
  case holds([StoredFile])
  /// `expire` is to follow then.
  case setAlarm(Timestamp)
  case forget
}
