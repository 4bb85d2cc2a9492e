import CarillonClient
import NIOCore

/// What differs from server to server: what must be there before a customer hears anything, how a message is posted,
/// and how it comes. Window, pace, posting connections, clock and checks are the load's, the same for all.
///
/// Belongs to the load's event loop.
protocol LoadService: AnyObject {
  /// Prepares the post of `customer` and opens its link; ends in `ChatLoad.linked` or `ChatLoad.fail`.
  func setUp(_ customer: Customer)
}

extension ChatLoad {
  /// Opens the kept-alive connection over which a customer polls.
  func openConnection(
    of customer: Customer, onResponse: @escaping (HTTPConnection, HTTPResponse) -> Void,
    whenOpen: @escaping (HTTPConnection) -> Void
  ) {
    let bound = NIOLoopBound((self, customer, onResponse, whenOpen), eventLoop: loop)
    HTTPConnection.open(to: settings.address, on: loop) { connection in
      let (load, customer, onResponse, _) = bound.value
      customer.connection = connection
      connection.onResponse = onResponse
      connection.onClose = { [unowned load] _, error in
        load.fail("a customer's connection was lost: \(error.map { "\($0)" } ?? "closed by the server")")
      }
    }.whenComplete { result in
      let (load, customer, _, whenOpen) = bound.value
      switch result {
      case .success: if let connection = customer.connection { whenOpen(connection) }
      case .failure(let error): load.fail("no connection: \(error)")
      }
    }
  }

  /// Opens a customer's WebSocket.
  func openSocket(
    of customer: Customer, path: String, headers: [(name: String, value: String)],
    onText: @escaping (WebSocketConnection, ByteBuffer) -> Void, whenOpen: @escaping (WebSocketConnection) -> Void
  ) {
    let bound = NIOLoopBound((self, customer, onText, whenOpen), eventLoop: loop)
    WebSocketConnection.open(to: settings.address, path: path, headers: headers, on: loop) { socket in
      let (load, customer, onText, _) = bound.value
      customer.socket = socket
      socket.onText = onText
      socket.onClose = { [unowned load] _, error in
        load.fail("a customer's WebSocket was lost: \(error.map { "\($0)" } ?? "closed by the server")")
      }
    }.whenComplete { result in
      let (load, customer, _, whenOpen) = bound.value
      switch result {
      case .success: if let socket = customer.socket { whenOpen(socket) }
      case .failure(let error): load.fail("no WebSocket: \(error)")
      }
    }
  }
}
