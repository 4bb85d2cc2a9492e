import Bayeux

/// A session and the things its tests say often. Exchanges are small numbers, events are texts.
struct Conversation {
  var session: BayeuxSession

  init(acknowledges: Bool = false, settings: SessionSettings = SessionSettings()) {
    session = BayeuxSession(clientID: "c1", settings: settings, acknowledges: acknowledges)
    _ = session.handshaken()
  }

  init(_ session: BayeuxSession) { self.session = session }

  /// Handshaken, connected once, that reply written: the grace timer runs.
  static func connected(acknowledges: Bool = false, settings: SessionSettings = SessionSettings()) -> Conversation {
    var conversation = Conversation(acknowledges: acknowledges, settings: settings)
    _ = conversation.poll(1, acknowledged: acknowledges ? 0 : nil)
    _ = conversation.written(1)
    return conversation
  }

  /// As `connected`, and exchange 2 holds a connect.
  static func holding(acknowledges: Bool = false) -> Conversation {
    var conversation = connected(acknowledges: acknowledges)
    _ = conversation.poll(2, acknowledged: acknowledges ? 1 : nil)
    return conversation
  }

  /// After a restart, its grace running.
  static func restored(isInDoubt: Bool) -> Conversation {
    var conversation = Conversation(
      BayeuxSession(
        restoring: "c1", settings: SessionSettings(), acknowledges: false, isConnected: false, isInDoubt: isInDoubt))
    _ = conversation.session.restored()
    return conversation
  }

  mutating func poll(
    _ exchange: UInt64, id: String? = nil, timeout: Int? = nil, interval: Int? = nil, acknowledged: Int? = nil,
    with others: [SessionReply] = []
  ) -> [SessionAction] {
    let connect = ConnectRequest(id: id.map(text), timeout: timeout, interval: interval, acknowledged: acknowledged)
    return session.received(
      .request(
        exchange: ExchangeID(rawValue: exchange), transport: .longPolling, replies: others + [.connect(connect)]))
  }

  mutating func post(_ exchange: UInt64, _ replies: String...) -> [SessionAction] {
    session.received(
      .request(
        exchange: ExchangeID(rawValue: exchange), transport: .longPolling,
        replies: replies.map { .ready(Array($0.utf8)) }))
  }

  mutating func frame(_ socket: UInt64, _ replies: SessionReply...) -> [SessionAction] {
    session.received(.request(exchange: ExchangeID(rawValue: socket), transport: .webSocket, replies: replies))
  }

  mutating func deliver(_ events: String...) -> [SessionAction] { session.received(.deliver(events.map(event))) }
  mutating func deliver(_ messages: [QueuedMessage]) -> [SessionAction] { session.received(.deliver(messages)) }
  mutating func elapse() -> [SessionAction] { session.received(.timerElapsed) }

  mutating func written(_ exchange: UInt64, _ success: Bool = true) -> [SessionAction] {
    session.received(.written(ExchangeID(rawValue: exchange), success: success))
  }

  mutating func closed(_ exchange: UInt64) -> [SessionAction] {
    session.received(.closed(ExchangeID(rawValue: exchange)))
  }

  mutating func disconnect(
    _ exchange: UInt64, _ reply: String = "bye", on transport: ConnectionType = .longPolling
  ) -> [SessionAction] {
    session.received(
      .disconnect(
        exchange: ExchangeID(rawValue: exchange), transport: transport, replies: [.ready(Array(reply.utf8))]))
  }
}

/// The JSON text of a short text.
func text(_ string: String) -> [UInt8] { Array("\"\(string)\"".utf8) }

func event(_ name: String) -> QueuedMessage { QueuedMessage(bytes: Array(name.utf8), mark: nil) }

func event(_ name: String, at position: Int) -> QueuedMessage {
  QueuedMessage(bytes: Array(name.utf8), mark: mark(position))
}

func mark(_ position: Int) -> DeliveryMark { DeliveryMark(source: "chat", position: position) }

func respond(_ exchange: UInt64, _ messages: String...) -> SessionAction {
  .respond(ExchangeID(rawValue: exchange), messages: messages.map { Array($0.utf8) })
}

func ready(_ reply: String) -> SessionReply { .ready(Array(reply.utf8)) }

func connect(_ id: String? = nil, timeout: Int? = nil, acknowledged: Int? = nil) -> SessionReply {
  .connect(ConnectRequest(id: id.map(text), timeout: timeout, acknowledged: acknowledged))
}

/// Connect replies as they should look.
let plain = #"{"channel":"/meta/connect","successful":true}"#
let advised =
  #"{"channel":"/meta/connect","successful":true,"advice":{"reconnect":"retry","interval":0,"timeout":30000}}"#
let dismissed = #"{"channel":"/meta/connect","successful":true,"advice":{"reconnect":"none"}}"#
let unknown =
  #"{"channel":"/meta/connect","successful":false,"error":"402::Unknown client","#
  + #""advice":{"reconnect":"handshake","interval":0}}"#

func plain(_ id: String) -> String { #"{"id":"\#(id)","channel":"/meta/connect","successful":true}"# }

/// The number of a batch that carries events up to `position`, the `later`th since then.
func number(at position: Int, _ later: Int = 0) -> Int { position << 13 + later }
func closing(at position: Int, _ later: Int = 0) -> String { closing(number(at: position, later)) }
func advisedClosing(at position: Int) -> String {
  #"{"channel":"/meta/connect","successful":true,"advice":{"reconnect":"retry","interval":0,"timeout":30000},"#
    + #""ext":{"ack":\#(number(at: position))}}"#
}

func closing(_ batch: Int) -> String { #"{"channel":"/meta/connect","successful":true,"ext":{"ack":\#(batch)}}"# }
