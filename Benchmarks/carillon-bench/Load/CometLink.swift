import CarillonClient
import JSONEnvelope
import NIOCore

/// How Carillon's customers hear: a Bayeux session over long polling or a WebSocket.
///
/// ```
///   handshake ──> subscribe + first connect ──> held connect, again and again
/// ```
final class CometLink {
  /// Reads one response of a held poll, or one frame.
  typealias Reader = (UnsafeRawBufferPointer, Customer) -> Void

  private unowned let load: ChatLoad
  private let read: Reader

  init(_ load: ChatLoad, read: @escaping Reader) {
    self.load = load
    self.read = read
  }

  /// Ends in `ChatLoad.linked` or `ChatLoad.fail`.
  func open(_ customer: Customer) {
    switch load.settings.link {
    case .longPolling:
      load.openConnection(
        of: customer,
        onResponse: { [unowned self, unowned customer] in answered($0, $1, customer) },
        whenOpen: { [unowned self, unowned customer] in $0.send(request(Self.handshake, customer)) })
    case .webSocket:
      load.openSocket(
        of: customer, path: Self.path, headers: customer.userHeaders,
        onText: { [unowned self, unowned customer] in framed($0, $1, customer) },
        whenOpen: { $0.send(ByteBuffer(string: Self.handshake)) })
    }
  }

  // MARK: Long polling

  private func answered(_ connection: HTTPConnection, _ response: HTTPResponse, _ customer: Customer) {
    guard response.status == 200 else {
      return load.fail("Comet: \(response.status) \(response.body.withUnsafeReadableBytes(ChatLoad.excerpt))")
    }
    guard !customer.clientID.isEmpty else {
      guard let id = Self.clientID(in: response.bodyBytes) else { return load.fail("handshake failed") }
      customer.clientID = id
      customer.poll = request(Self.connect(id, "long-polling"), customer)
      connection.send(request(Self.subscribe(id, "long-polling"), customer))
      return
    }
    let isFine = response.body.withUnsafeReadableBytes { bytes in
      guard DeliveryScanner.isSuccessful(bytes) else { return false }
      // The next connect goes out first: while the server works on it, this side works on the arrival.
      connection.send(customer.poll)
      read(bytes, customer)
      return true
    }
    guard isFine else { return load.fail("Comet: \(String(buffer: response.body))") }
    load.linked(customer)
  }

  // MARK: WebSocket

  private func framed(_ socket: WebSocketConnection, _ text: ByteBuffer, _ customer: Customer) {
    guard !customer.clientID.isEmpty else {
      guard let id = Self.clientID(in: Array(text.readableBytesView)) else { return load.fail("handshake failed") }
      customer.clientID = id
      customer.poll = ByteBuffer(string: Self.connect(id, "websocket"))
      socket.send(ByteBuffer(string: Self.subscribe(id, "websocket")))
      return
    }
    let isConnectReply = text.withUnsafeReadableBytes { bytes in
      read(bytes, customer)
      return Self.connectChannel.firstIndex(in: bytes) != nil
    }
    guard isConnectReply else { return }
    socket.send(customer.poll)
    load.linked(customer)
  }

  // MARK: Requests

  private static let path = "/genesys/cometd"
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

  private func request(_ body: String, _ customer: Customer) -> ByteBuffer {
    HTTPRequest(
      .post, Self.path, headers: customer.userHeaders, contentType: "application/json", body: Array(body.utf8)
    ).bytes(for: load.settings.address)
  }
}
