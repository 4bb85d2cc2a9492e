public import EventSourcing

/// The fields of the events of stored data. A number means what it means within its event.
private enum Field {
  static let pairs = PayloadField<StoredPair>(1)
  static let name = PayloadField<StorageName>(2)
  static let until = PayloadField<Timestamp>(3)

  static let key = PayloadField<String>(1)
  static let renewedUntil = PayloadField<Timestamp>(1)
  static let reason = PayloadField<String>(1)
}

/// What happened to stored data. Tags and field numbers are frozen.
public enum StorageEvent: Sendable, Equatable, Codable {
  case stored([StoredPair], name: StorageName?, until: Timestamp)
  case removed(String)
  case renewed(until: Timestamp)
  case ended(reason: String)
  case erased

  /// Nothing is left of what was erased: that states it whole.
  public static func isRestatement(_ tag: EventTag) -> Bool { tag == 5 }
}

extension StorageEvent: JournaledEvent {
  public var tag: EventTag {
    switch self {
    case .stored: 1
    case .removed: 2
    case .renewed: 3
    case .ended: 4
    case .erased: 5
    }
  }

  public func encode(into writer: inout PayloadWriter) {
    switch self {
    case .stored(let pairs, let name, let until):
      writer.put(each: Field.pairs, pairs)
      writer.put(Field.name, ifPresent: name)
      writer.put(Field.until, until)
    case .removed(let key): writer.put(Field.key, key)
    case .renewed(let until): writer.put(Field.renewedUntil, until)
    case .ended(let reason): writer.put(Field.reason, reason)
    case .erased: break
    }
  }

  public init(tag: EventTag, payload: inout PayloadReader) throws(PayloadError) {
    let read = try PayloadFields(&payload)
    switch tag {
    case 5: self = .erased
    case 1:
      self = .stored(
        try read.all(Field.pairs), name: try read[Field.name], until: try read.required(Field.until))
    case 2: self = .removed(try read.required(Field.key))
    case 3: self = .renewed(until: try read.required(Field.renewedUntil))
    case 4: self = .ended(reason: try read.required(Field.reason))
    default: throw .unknownTag(tag)
    }
  }
}

extension StoredPair: PayloadPart {
  private enum Field {
    static let name = PayloadField<String>(1)
    static let text = PayloadField<String>(2)
    /// With neither this nor a text it is hidden.
    static let file = PayloadField<StoredFile>(3)
  }

  public func encode(into writer: inout PayloadWriter) {
    writer.put(Field.name, name)
    switch value {
    case .text(let text): writer.put(Field.text, text)
    case .file(let file): writer.put(Field.file, file)
    case .hidden: break
    }
  }

  public init(payload: inout PayloadReader) throws(PayloadError) {
    let read = try PayloadFields(&payload)
    let value: StoredValue =
      if let file = try read[Field.file] {
        .file(file)
      } else if let text = try read[Field.text] {
        .text(text)
      } else {
        .hidden
      }
    self.init(try read.required(Field.name), value)
  }
}

extension StoredFile: PayloadPart {
  private enum Field {
    /// 32 bytes: its name in the file system is made of it.
    static let digest = PayloadField<[UInt8]>(1)
    /// Far from overflowing when sizes are added up.
    static let byteCount = PayloadField<Ordinal>(2)
    static let contentType = PayloadField<String>(3)
    static let name = PayloadField<String>(4)
    static let isText = PayloadField<Bool>(5)
  }

  public func encode(into writer: inout PayloadWriter) {
    writer.put(Field.digest, digest)
    writer.put(Field.byteCount, byteCount)
    writer.put(Field.contentType, contentType)
    writer.put(Field.name, ifPresent: name)
    writer.put(Field.isText, ifTrue: isText)
  }

  public init(payload: inout PayloadReader) throws(PayloadError) {
    let read = try PayloadFields(&payload)
    let digest = try read.required(Field.digest)
    guard digest.count == 32 else { throw .outOfRange(field: Field.digest.number) }
    self.init(
      digest: digest, byteCount: try read.required(Field.byteCount), contentType: try read.required(Field.contentType),
      name: try read[Field.name], isText: try read[Field.isText] ?? false)
  }
}

/// Also within the notes of `StorageService`.
extension StorageName: PayloadPart {
  private enum Field {
    static let id = PayloadField<String>(1)
    /// Of custom data.
    static let user = PayloadField<String>(2)
    /// Of a file: its chat's service instance.
    static let chat = PayloadField<String>(60)
  }

  public func encode(into writer: inout PayloadWriter) {
    switch self {
    case .custom(let id, let user):
      writer.put(Field.id, id)
      writer.put(Field.user, user)
    case .instance(let id): writer.put(Field.id, id)
    case .file(let id, let chat):
      writer.put(Field.id, id)
      writer.put(Field.chat, chat)
    }
  }

  public init(payload: inout PayloadReader) throws(PayloadError) {
    let read = try PayloadFields(&payload)
    let id = try read.required(Field.id)
    if let chat = try read[Field.chat] {
      self = .file(id: id, chat: chat)
    } else {
      self = try read[Field.user].map { .custom(id: id, user: $0) } ?? .instance(id)
    }
  }
}

/// The state of stored data as snapshots hold it. Field numbers are frozen.
extension StoredData: RestorableState {
  private enum Field {
    static let pairs = PayloadField<StoredPair>(1)
    static let name = PayloadField<StorageName>(2)
    static let createdAt = PayloadField<Timestamp>(3)
    /// Absent: nothing there, or over.
    static let expiresAt = PayloadField<Timestamp>(4)
    static let isFinished = PayloadField<Bool>(5)
  }

  public func encodeState(into writer: inout PayloadWriter) {
    writer.put(each: Field.pairs, pairs)
    writer.put(Field.name, ifPresent: name)
    writer.put(Field.createdAt, createdAt)
    writer.put(Field.expiresAt, ifPresent: expiresAt)
    writer.put(Field.isFinished, ifTrue: isFinished)
  }

  public init(state payload: inout PayloadReader) throws(PayloadError) {
    self.init()
    let read = try PayloadFields(&payload)
    pairs = try read.all(Field.pairs)
    name = try read[Field.name]
    createdAt = try read[Field.createdAt] ?? .epoch
    expiresAt = try read[Field.expiresAt]
    isFinished = try read[Field.isFinished] ?? false
  }
}
