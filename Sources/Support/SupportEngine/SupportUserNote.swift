import EventSourcing
import SupportDomain

/// What the index must know of a user while it sleeps. Field numbers are frozen.
struct SupportUserNote: Equatable, PayloadPart {
  private enum Field {
    /// Absent: it was erased.
    static let key = PayloadField<NotedKey>(1)
    static let name = PayloadField<String>(2)
    static let email = PayloadField<String>(3)
    static let tokens = PayloadField<Token>(4)
    /// Those that live.
    static let devices = PayloadField<Device>(5)
  }

  var identity: SupportIdentity?
  var tokens: [Token] = []
  var devices: [Device] = []

  init(_ user: borrowing SupportUser) {
    identity = user.identity
    tokens = user.tokens.map { Token(digest: $0.digest, app: $0.app) }
    devices = user.devices.filter(\.isLive).map {
      Device(id: $0.id, key: $0.key, app: $0.app, updatedAt: $0.updatedAt)
    }
  }

  func encode(into writer: inout PayloadWriter) {
    writer.put(Field.key, ifPresent: identity.map { NotedKey(key: $0.key) })
    writer.put(Field.name, ifPresent: identity?.name)
    writer.put(Field.email, ifPresent: identity?.email)
    writer.put(each: Field.tokens, tokens)
    writer.put(each: Field.devices, devices)
  }

  init(payload: inout PayloadReader) throws(PayloadError) {
    let read = try PayloadFields(&payload)
    if let noted = try read[Field.key] {
      identity = SupportIdentity(key: noted.key, name: try read[Field.name], email: try read[Field.email])
    }
    tokens = try read.all(Field.tokens)
    devices = try read.all(Field.devices)
  }
}

extension SupportUserNote {
  struct Token: Equatable, PayloadPart {
    private enum Field {
      static let digest = PayloadField<[UInt8]>(1)
      static let app = PayloadField<String>(2)
    }

    let digest: [UInt8]
    let app: String

    init(digest: [UInt8], app: String) {
      self.digest = digest
      self.app = app
    }

    func encode(into writer: inout PayloadWriter) {
      writer.put(Field.digest, digest)
      writer.put(Field.app, app)
    }

    init(payload: inout PayloadReader) throws(PayloadError) {
      let read = try PayloadFields(&payload)
      self.init(digest: try read[Field.digest] ?? [], app: try read[Field.app] ?? "")
    }
  }

  struct Device: Equatable, PayloadPart {
    private enum Field {
      static let id = PayloadField<Int>(1)
      static let identifier = PayloadField<String>(2)
      static let platform = PayloadField<SupportDevice.Platform>(3)
      static let address = PayloadField<SupportDevice.Address>(4)
      static let app = PayloadField<String>(5)
      static let updatedAt = PayloadField<Timestamp>(6)
    }

    var id: Int
    var key: SupportDevice.Key
    let app: String
    let updatedAt: Timestamp

    init(id: Int, key: SupportDevice.Key, app: String, updatedAt: Timestamp) {
      self.id = id
      self.key = key
      self.app = app
      self.updatedAt = updatedAt
    }

    func encode(into writer: inout PayloadWriter) {
      writer.put(Field.id, id)
      writer.put(Field.identifier, key.identifier)
      writer.put(Field.platform, key.platform)
      writer.put(Field.address, key.address)
      writer.put(Field.app, app)
      writer.put(Field.updatedAt, updatedAt)
    }

    init(payload: inout PayloadReader) throws(PayloadError) {
      let read = try PayloadFields(&payload)
      let key = SupportDevice.Key(
        identifier: try read[Field.identifier] ?? "", platform: try read[Field.platform] ?? .ios,
        address: try read[Field.address] ?? .pushToken)
      self.init(
        id: try read[Field.id] ?? 0, key: key, app: try read[Field.app] ?? "",
        updatedAt: try read[Field.updatedAt] ?? .epoch)
    }
  }
}

/// The key of an identity, as notes hold it.
private struct NotedKey: PayloadPart {
  private enum Field {
    /// 1 anonymous, 2 verified, 3 agent, 4 contact.
    static let kind = PayloadField<UInt64>(1)
    /// Of an anonymous one: the app.
    static let text = PayloadField<String>(2)
    /// Of anonymous ones only.
    static let guid = PayloadField<String>(3)
  }

  let key: SupportIdentity.Key

  init(key: SupportIdentity.Key) { self.key = key }

  func encode(into writer: inout PayloadWriter) {
    switch key {
    case .anonymous(let app, let guid):
      writer.put(Field.kind, 1)
      writer.put(Field.text, app)
      writer.put(Field.guid, guid)
    case .verified(let id):
      writer.put(Field.kind, 2)
      writer.put(Field.text, id)
    case .agent(let name):
      writer.put(Field.kind, 3)
      writer.put(Field.text, name)
    case .contact(let id):
      writer.put(Field.kind, 4)
      writer.put(Field.text, id)
    }
  }

  init(payload: inout PayloadReader) throws(PayloadError) {
    let read = try PayloadFields(&payload)
    let text = try read[Field.text] ?? ""
    switch try read[Field.kind] {
    case 1: key = .anonymous(app: text, guid: try read[Field.guid] ?? "")
    case 2: key = .verified(text)
    case 3: key = .agent(text)
    case 4: key = .contact(text)
    default: throw .outOfRange(field: Field.kind.number)
    }
  }
}
