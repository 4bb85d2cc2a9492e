import CarillonClient
import JSONEnvelope
import NIOCore

/// ```
///   create ──> start ──> (agent joins) ──> handshake ──> subscribe + first connect ──> held connect
/// ```
extension ChatLoad {
  /// Makes all chats and Comet sessions, a number of them at a time.
  func setUp() -> EventLoopFuture<Void> {
    let promise = loop.makePromise(of: Void.self)
    setUpPromise = promise
    let bound = NIOLoopBound(self, eventLoop: loop)
    loop.scheduleTask(in: .seconds(Limits.setUpTimeout.components.seconds)) {
      if bound.value.setUpPromise != nil { bound.value.fail("set-up took more than \(Limits.setUpTimeout)") }
    }
    for _ in 0..<min(Limits.setUpsAtOnce, settings.customers) { setUpNext() }
    return promise.futureResult
  }

  private func setUpNext() {
    guard nextSetUp < settings.customers, failure == nil else { return }
    let customer = Customer(index: nextSetUp, load: number)
    nextSetUp += 1
    customers.append(customer)
    create(customer)
  }

  private func create(_ customer: Customer) {
    let request = HTTPRequest(.post, "/genesys/1/service/request-chat", headers: headers(customer))
    submit(request) { [unowned self] reply in
      guard let id = reply["_id"]?.string else { return self.fail("no service id") }
      customer.serviceID = id
      self.start(customer)
    }
  }

  private func start(_ customer: Customer) {
    let body = formEncoded([
      (name: "notify_by", value: "comet"), (name: "firstName", value: "Customer"),
      (name: "lastName", value: String(customer.index)), (name: "subject", value: "Order \(customer.index)"),
    ])
    let request = HTTPRequest(
      .post, "/genesys/1/service/\(customer.serviceID)/ixn/chat", headers: headers(customer),
      contentType: "application/x-www-form-urlencoded", body: body)
    submit(request) { [unowned self] reply in
      guard let chatID = reply["chatSessionId"]?.string,
        let position = reply["transcriptPosition"]?.lenientInteger
      else { return self.fail("no chat") }
      customer.chatID = chatID
      customer.position = position
      self.prepareMessage(customer)
      if self.settings.agentJoins { self.join(customer) } else { self.link(customer) }
    }
  }

  private func join(_ customer: Customer) {
    let request = HTTPRequest(
      .post, "/agent/1/chats/\(customer.chatID)/join", headers: agentHeaders, contentType: "application/json",
      body: Array(#"{"nickname":"Agent K","role":"AGENT"}"#.utf8))
    submit(request) { [unowned self] _ in self.link(customer) }
  }

  private func link(_ customer: Customer) {
    switch settings.link {
    case .longPolling: openConnection(customer)
    case .webSocket: openSocket(customer)
    }
  }

  // MARK: Long polling

  private func openConnection(_ customer: Customer) {
    let bound = NIOLoopBound((self, customer), eventLoop: loop)
    HTTPConnection.open(to: settings.address, on: loop) { connection in
      let (load, customer) = bound.value
      customer.connection = connection
      connection.onResponse = { [unowned load, unowned customer] connection, response in
        load.answered(connection, response, customer)
      }
      connection.onClose = { [unowned load] _, error in
        load.fail("a customer's connection was lost: \(error.map { "\($0)" } ?? "closed by the server")")
      }
    }.whenComplete { result in
      let (load, customer) = bound.value
      switch result {
      case .success: customer.connection?.send(load.cometRequest(Self.handshake, customer))
      case .failure(let error): load.fail("no connection: \(error)")
      }
    }
  }

  private func answered(_ connection: HTTPConnection, _ response: HTTPResponse, _ customer: Customer) {
    guard response.status == 200 else {
      return fail("Comet: \(response.status) \(response.body.withUnsafeReadableBytes(Self.excerpt))")
    }
    guard !customer.clientID.isEmpty else {
      guard let id = Self.clientID(in: response.bodyBytes) else { return fail("handshake failed") }
      customer.clientID = id
      customer.poll = cometRequest(Self.connect(id, "long-polling"), customer)
      connection.send(cometRequest(Self.subscribe(id, "long-polling"), customer))
      return
    }
    let isFine = response.body.withUnsafeReadableBytes { bytes in
      guard DeliveryScanner.isSuccessful(bytes) else { return false }
      // The next connect goes out first: while the server works on it, this side works on the arrival.
      connection.send(customer.poll)
      arrived(bytes, for: customer)
      return true
    }
    guard isFine else { return fail("Comet: \(String(buffer: response.body))") }
    finishSetUp(customer)
  }

  // MARK: WebSocket

  private func openSocket(_ customer: Customer) {
    let bound = NIOLoopBound((self, customer), eventLoop: loop)
    WebSocketConnection.open(to: settings.address, path: "/genesys/cometd", headers: headers(customer), on: loop) {
      socket in
      let (load, customer) = bound.value
      customer.socket = socket
      socket.onText = { [unowned load, unowned customer] socket, text in load.framed(socket, text, customer) }
      socket.onClose = { [unowned load] _, error in
        load.fail("a customer's WebSocket was lost: \(error.map { "\($0)" } ?? "closed by the server")")
      }
    }.whenComplete { result in
      let (load, customer) = bound.value
      switch result {
      case .success: customer.socket?.send(ByteBuffer(string: Self.handshake))
      case .failure(let error): load.fail("no WebSocket: \(error)")
      }
    }
  }

  private func framed(_ socket: WebSocketConnection, _ text: ByteBuffer, _ customer: Customer) {
    guard !customer.clientID.isEmpty else {
      guard let id = Self.clientID(in: Array(text.readableBytesView)) else { return fail("handshake failed") }
      customer.clientID = id
      customer.poll = ByteBuffer(string: Self.connect(id, "websocket"))
      socket.send(ByteBuffer(string: Self.subscribe(id, "websocket")))
      return
    }
    let isConnectReply = text.withUnsafeReadableBytes { bytes in
      arrived(bytes, for: customer)
      return Self.connectChannel.firstIndex(in: bytes) != nil
    }
    guard isConnectReply else { return }
    socket.send(customer.poll)
    finishSetUp(customer)
  }

  private func finishSetUp(_ customer: Customer) {
    guard !customer.isSetUp else { return }
    customer.isSetUp = true
    setUpCount += 1
    if setUpCount == settings.customers {
      setUpPromise?.succeed()
      setUpPromise = nil
    } else {
      setUpNext()
    }
  }

  // MARK: Requests

  private static let connectChannel = BytePattern(#""/meta/connect""#)
  private static let handshake =
    #"[{"id":"1","channel":"/meta/handshake","version":"1.0","supportedConnectionTypes":["long-polling","websocket"]}]"#

  private static func subscribe(_ id: String, _ type: String) -> String {
    #"[{"id":"2","channel":"/meta/subscribe","clientId":"\#(id)","subscription":"/_genesys"},"#
      + #"{"id":"3","channel":"/meta/connect","clientId":"\#(id)","connectionType":"\#(type)","advice":{"timeout":0}}]"#
  }

  private static func connect(_ id: String, _ type: String) -> String {
    #"[{"id":"4","channel":"/meta/connect","clientId":"\#(id)","connectionType":"\#(type)"}]"#
  }

  private static func clientID(in bytes: [UInt8]) -> String? {
    (try? JSONValue(parsing: bytes))?[0]?["clientId"]?.string
  }

  private var agentHeaders: [(name: String, value: String)] {
    [(name: "Authorization", value: "Bearer \(settings.agentToken)")]
  }

  private func headers(_ customer: Customer) -> [(name: String, value: String)] {
    [(name: "gms_user", value: customer.userKey)]
  }

  private func cometRequest(_ body: String, _ customer: Customer) -> ByteBuffer {
    HTTPRequest(
      .post, "/genesys/cometd", headers: headers(customer), contentType: "application/json", body: Array(body.utf8)
    ).bytes(for: settings.address)
  }

  /// The post that each message of this customer is a copy of, with another number.
  private func prepareMessage(_ customer: Customer) {
    var random = SplitMix64(seed: UInt64(customer.index))
    let text = String(decoding: MessageText.prefix(0), as: UTF8.self) + MessageText.make(&random)
    let request =
      switch settings.sender {
      case .agent:
        HTTPRequest(
          .post, "/agent/1/chats/\(customer.chatID)/messages", headers: agentHeaders, contentType: "application/json",
          body: Array(#"{"text":"\#(text)"}"#.utf8))
      case .customer:
        HTTPRequest(
          .post, "/genesys/1/service/\(customer.serviceID)/ixn/chat/send", headers: headers(customer),
          contentType: "application/json", body: Array(#"{"message":"\#(text)"}"#.utf8))
      }
    customer.post = request.bytes(for: settings.address)
    customer.sequenceOffset = customer.post.writerIndex - text.utf8.count - 2
  }

  private func submit(_ request: HTTPRequest, _ completion: @escaping (JSONValue) -> Void) {
    lanes.submit(request.bytes(for: settings.address)) { [unowned self] response in
      guard response.status == 200 || response.status == 201, let value = try? JSONValue(parsing: response.bodyBytes)
      else { return self.fail("\(request.path): \(response.status) \(String(buffer: response.body))") }
      completion(value)
    }
  }
}
