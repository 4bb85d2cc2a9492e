public import EventSourcing

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
      for pair in pairs { writer.nested(1) { pair.encode(into: &$0) } }
      if let name { writer.nested(2) { name.encode(into: &$0) } }
      writer.time(3, until)
    case .removed(let name): writer.text(1, name)
    case .renewed(let until): writer.time(1, until)
    case .ended(let reason): writer.text(1, reason)
    case .erased: break
    }
  }

  public init(tag: EventTag, payload: inout PayloadReader) throws(PayloadError) {
    switch tag {
    case 1: self = try Self.stored(&payload)
    case 2: self = .removed(try Self.text(&payload))
    case 3:
      var until: Timestamp?
      while let field = try payload.next() { if field == 1 { until = try payload.time() } else { try payload.skip() } }
      guard let until else { throw .missingField(1) }
      self = .renewed(until: until)
    case 4: self = .ended(reason: try Self.text(&payload))
    case 5: self = .erased
    default: throw .unknownTag(tag)
    }
  }

  private static func stored(_ payload: inout PayloadReader) throws(PayloadError) -> StorageEvent {
    var pairs: [StoredPair] = []
    var name: StorageName?, until: Timestamp?
    while let field = try payload.next() {
      switch field {
      case 1:
        var inner = try payload.nested()
        pairs.append(try StoredPair(payload: &inner))
      case 2:
        var inner = try payload.nested()
        name = try StorageName(payload: &inner)
      case 3: until = try payload.time()
      default: try payload.skip()
      }
    }
    guard let until else { throw .missingField(3) }
    return .stored(pairs, name: name, until: until)
  }

  private static func text(_ payload: inout PayloadReader) throws(PayloadError) -> String {
    var text: String?
    while let field = try payload.next() { if field == 1 { text = try payload.text() } else { try payload.skip() } }
    guard let text else { throw .missingField(1) }
    return text
  }
}

extension StoredPair {
  /// Name 1, then one of: text 2, file 3; hidden if neither is there.
  fileprivate func encode(into writer: inout PayloadWriter) {
    writer.text(1, name)
    switch value {
    case .text(let text): writer.text(2, text)
    case .file(let file): writer.nested(3) { file.encode(into: &$0) }
    case .hidden: break
    }
  }

  fileprivate init(payload: inout PayloadReader) throws(PayloadError) {
    var name: String?
    var value = StoredValue.hidden
    while let field = try payload.next() {
      switch field {
      case 1: name = try payload.text()
      case 2: value = .text(try payload.text())
      case 3:
        var inner = try payload.nested()
        value = .file(try StoredFile(payload: &inner))
      default: try payload.skip()
      }
    }
    guard let name else { throw .missingField(1) }
    self.init(name, value)
  }
}

extension StoredFile {
  fileprivate func encode(into writer: inout PayloadWriter) {
    writer.data(1, digest)
    writer.integer(2, byteCount)
    writer.text(3, contentType)
    writer.text(4, ifPresent: name)
    if isText { writer.bool(5, true) }
  }

  fileprivate init(payload: inout PayloadReader) throws(PayloadError) {
    var digest: [UInt8]?, byteCount: Int?, contentType: String?, name: String?
    var isText = false
    while let field = try payload.next() {
      switch field {
      case 1: digest = try payload.data()
      case 2: byteCount = try payload.integer()
      case 3: contentType = try payload.text()
      case 4: name = try payload.text()
      case 5: isText = try payload.bool()
      default: try payload.skip()
      }
    }
    guard let digest else { throw .missingField(1) }
    // Its name in the file system is made of it.
    guard digest.count == 32 else { throw .outOfRange(field: 1) }
    guard let byteCount else { throw .missingField(2) }
    // Far from overflowing when sizes are added up.
    guard 0...Int(Int32.max) ~= byteCount else { throw .outOfRange(field: 2) }
    guard let contentType else { throw .missingField(3) }
    self.init(digest: digest, byteCount: byteCount, contentType: contentType, name: name, isText: isText)
  }
}

extension StorageName {
  /// Id 1 and, of custom data, user 2. Also within the notes of `StorageService`.
  public func encode(into writer: inout PayloadWriter) {
    switch self {
    case .custom(let id, let user):
      writer.text(1, id)
      writer.text(2, user)
    case .instance(let id): writer.text(1, id)
    }
  }

  public init(payload: inout PayloadReader) throws(PayloadError) {
    var id: String?, user: String?
    while let field = try payload.next() {
      switch field {
      case 1: id = try payload.text()
      case 2: user = try payload.text()
      default: try payload.skip()
      }
    }
    guard let id else { throw .missingField(1) }
    self = user.map { .custom(id: id, user: $0) } ?? .instance(id)
  }
}

/// The state of stored data as snapshots hold it: pairs 1…, name 2, created at 3, expires at 4 (absent: nothing there,
/// or over), finished 5 (absent: no). Field numbers are frozen.
extension StoredData: RestorableState {
  public func encodeState(into writer: inout PayloadWriter) {
    for pair in pairs { writer.nested(1) { pair.encode(into: &$0) } }
    if let name { writer.nested(2) { name.encode(into: &$0) } }
    writer.time(3, createdAt)
    if let expiresAt { writer.time(4, expiresAt) }
    if isFinished { writer.bool(5, true) }
  }

  public init(state payload: inout PayloadReader) throws(PayloadError) {
    self.init()
    while let field = try payload.next() {
      switch field {
      case 1:
        var inner = try payload.nested()
        pairs.append(try StoredPair(payload: &inner))
      case 2:
        var inner = try payload.nested()
        name = try StorageName(payload: &inner)
      case 3: createdAt = try payload.time()
      case 4: expiresAt = try payload.time()
      case 5: isFinished = try payload.bool()
      default: try payload.skip()
      }
    }
  }
}
