import EventSourcing
import SupportDomain

/// What the index must know of a request while it sleeps: requester 1 (absent: it was erased), channel 2, app 3, status 4,
/// assignee 5, updated at 6, service of its chat 7 (absent: none). Field numbers are frozen.
struct SupportRequestNote: Equatable, Sendable {
  var requester: Int64?
  var channel = SupportChannel.api
  var app: String?
  var status = SupportStatus.new
  var assignee: Int64?
  var updatedAt = Timestamp.epoch
  var service: String?

  /// The app or the service by which agents have to do with it; nil if it belongs to none.
  var home: String? { app ?? service }

  init(_ request: borrowing SupportRequest) {
    requester = request.terms?.requester
    channel = request.terms?.channel ?? .api
    app = request.terms?.app
    status = request.status
    assignee = request.assignee
    updatedAt = request.updatedAt
    service = request.terms?.transcript?.service
  }

  var bytes: [UInt8] {
    var writer = PayloadWriter()
    if let requester { writer.signed(1, requester) }
    writer.code(2, channel)
    writer.text(3, ifPresent: app)
    writer.code(4, status)
    if let assignee { writer.signed(5, assignee) }
    writer.time(6, updatedAt)
    writer.text(7, ifPresent: service)
    return writer.bytes
  }

  init(bytes: [UInt8]) throws(PayloadError) {
    try bytes.withUnsafeBufferPointer { buffer throws(PayloadError) in
      var payload = PayloadReader(UnsafeRawBufferPointer(buffer))
      while let field = try payload.next() {
        switch field {
        case 1: requester = try payload.signed()
        case 2: channel = try payload.code(field)
        case 3: app = try payload.text()
        case 4: status = try payload.code(field)
        case 5: assignee = try payload.signed()
        case 6: updatedAt = try payload.time()
        case 7: service = try payload.text()
        default: try payload.skip()
        }
      }
    }
  }
}

/// What the index must know of a user while it sleeps: key 1 (absent: it was erased), name 2, e-mail 3, tokens 4…, live
/// devices 5…. Field numbers are frozen.
struct SupportUserNote: Equatable, Sendable {
  struct Token: Equatable, Sendable {
    var digest: [UInt8] = []
    var app = ""
  }

  struct Device: Equatable, Sendable {
    var id = 0
    var key = SupportDevice.Key(identifier: "", platform: .ios, address: .pushToken)
    var app = ""
    var updatedAt = Timestamp.epoch
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

  var bytes: [UInt8] {
    var writer = PayloadWriter()
    if let identity {
      writer.nested(1) { $0.key(identity.key) }
      writer.text(2, ifPresent: identity.name)
      writer.text(3, ifPresent: identity.email)
    }
    for token in tokens {
      writer.nested(4) {
        $0.data(1, token.digest)
        $0.text(2, token.app)
      }
    }
    for device in devices {
      writer.nested(5) {
        $0.integer(1, device.id)
        $0.text(2, device.key.identifier)
        $0.code(3, device.key.platform)
        $0.code(4, device.key.address)
        $0.text(5, device.app)
        $0.time(6, device.updatedAt)
      }
    }
    return writer.bytes
  }

  init(bytes: [UInt8]) throws(PayloadError) {
    try bytes.withUnsafeBufferPointer { buffer throws(PayloadError) in
      var payload = PayloadReader(UnsafeRawBufferPointer(buffer))
      var key: SupportIdentity.Key?, name: String?, email: String?
      while let field = try payload.next() {
        switch field {
        case 1: key = try Self.key(try payload.nested())
        case 2: name = try payload.text()
        case 3: email = try payload.text()
        case 4: tokens.append(try Self.token(try payload.nested()))
        case 5: devices.append(try Self.device(try payload.nested()))
        default: try payload.skip()
        }
      }
      identity = key.map { SupportIdentity(key: $0, name: name, email: email) }
    }
  }

  private static func key(_ payload: PayloadReader) throws(PayloadError) -> SupportIdentity.Key {
    var (payload, kind, first, second) = (payload, UInt64(0), "", "")
    while let field = try payload.next() {
      switch field {
      case 1: kind = try payload.unsigned()
      case 2: first = try payload.text()
      case 3: second = try payload.text()
      default: try payload.skip()
      }
    }
    switch kind {
    case 1: return .anonymous(app: first, guid: second)
    case 2: return .verified(first)
    case 3: return .agent(first)
    case 4: return .contact(first)
    default: throw .outOfRange(field: 1)
    }
  }

  private static func token(_ payload: PayloadReader) throws(PayloadError) -> Token {
    var (payload, token) = (payload, Token())
    while let field = try payload.next() {
      switch field {
      case 1: token.digest = try payload.data()
      case 2: token.app = try payload.text()
      default: try payload.skip()
      }
    }
    return token
  }

  private static func device(_ payload: PayloadReader) throws(PayloadError) -> Device {
    var (payload, device, identifier) = (payload, Device(), "")
    var (platform, address) = (SupportDevice.Platform.ios, SupportDevice.Address.pushToken)
    while let field = try payload.next() {
      switch field {
      case 1: device.id = try payload.integer()
      case 2: identifier = try payload.text()
      case 3: platform = try payload.code(field)
      case 4: address = try payload.code(field)
      case 5: device.app = try payload.text()
      case 6: device.updatedAt = try payload.time()
      default: try payload.skip()
      }
    }
    device.key = SupportDevice.Key(identifier: identifier, platform: platform, address: address)
    return device
  }
}

extension PayloadWriter {
  fileprivate mutating func key(_ key: SupportIdentity.Key) {
    switch key {
    case .anonymous(let app, let guid):
      unsigned(1, 1)
      text(2, app)
      text(3, guid)
    case .verified(let id):
      unsigned(1, 2)
      text(2, id)
    case .agent(let name):
      unsigned(1, 3)
      text(2, name)
    case .contact(let id):
      unsigned(1, 4)
      text(2, id)
    }
  }
}
