/// The parts of the HTTP surface: what metrics count apart, and where cross-origin rules differ.
enum Surface: UInt8, CaseIterable {
  case comet, webSocket, service, devices, agent, operation, messaging, support, other, administration, console

  /// - Parameter target: the request target: path and query string.
  init(target: String) {
    let path = target.utf8.prefix { $0 != UInt8(ascii: "?") }
    func isBelow(_ prefix: StaticString) -> Bool {
      let length = prefix.utf8CodeUnitCount
      guard path.count >= length,
        path.prefix(length).elementsEqual(UnsafeBufferPointer(start: prefix.utf8Start, count: length))
      else { return false }
      return path.count == length || path[path.index(path.startIndex, offsetBy: length)] == UInt8(ascii: "/")
    }
    if isBelow("/genesys/cometd") {
      self = .comet
    } else if isBelow("/genesys/1/admin") || isBelow("/genesys/1/notification/publish") {
      self = .other
    } else if isBelow("/genesys") {
      self = .service
    } else if isBelow("/devices") {
      self = .devices
    } else if isBelow("/agent") {
      self = .agent
    } else if isBelow("/api") || isBelow("/access/sdk") || isBelow("/attachments") {
      self = .support
    } else if isBelow("/admin") {
      self = .administration
    } else if isBelow("/console") {
      self = .console
    } else if isBelow("/health") || isBelow("/metrics") {
      self = .operation
    } else if isBelow("/gcm") || isBelow("/fcm") || isBelow("/v1") || isBelow("/iid") || isBelow("/wp")
      || isBelow("/checkin") || isBelow("/c2dm") || isBelow("/device")
    {
      self = .messaging
    } else {
      self = .other
    }
  }

  /// The part that a request was found to be for.
  init(_ place: HTTPSurface) {
    guard let surface = Surface(rawValue: place.number) else { preconditionFailure("a surface of another server") }
    self = surface
  }

  /// As the connection has it.
  var place: HTTPSurface {
    HTTPSurface(
      number: rawValue, isForCustomers: isForCustomers, namesUsers: namesUsers, isForStaff: isForStaff,
      showsPages: self == .console)
  }

  /// Whether pages of other origins may use it. Spec: GMS 2.2.
  var isForCustomers: Bool { self == .comet || self == .service || self == .webSocket || self == .support }

  /// Whether pages of the origins that operators name for their staff may use it.
  var isForStaff: Bool { self == .agent || self == .administration }

  /// Whether its requests are some customer's: who that is, is asked before anything else.
  var namesUsers: Bool { self == .comet || self == .service || self == .webSocket || self == .devices }

  var name: String {
    switch self {
    case .comet: "comet"
    case .webSocket: "websocket"
    case .service: "service"
    case .devices: "devices"
    case .agent: "agent"
    case .operation: "operation"
    case .messaging: "messaging"
    case .support: "support"
    case .other: "other"
    case .administration: "administration"
    case .console: "console"
    }
  }
}
