import CarillonClient
import NIOCore
import PeerFormats

/// A channel of nchan for each customer, or one for all; what is published to it comes to those who listen.
///
/// A channel is there once somebody asks for it, and keeps its messages for those who come later: nothing has to be made
/// beforehand, and a poll that is still on its way misses nothing.
final class NchanChannels: LoadService {
  /// Where nginx has publisher and subscriber, each for the channel that is named behind it.
  static let publisherPath = "/pub?id="
  static let subscriberPath = "/sub?id="

  private unowned let load: ChatLoad

  init(_ load: ChatLoad) { self.load = load }

  func setUp(_ customer: Customer) {
    let text = MessageText.first(of: customer.index)
    let request = HTTPRequest(
      .post, Self.publisherPath + customer.userKey, contentType: "text/plain", body: Array(text.utf8))
    customer.prepare(request.bytes(for: load.settings.address), text, bytesBehind: 0)
    switch load.settings.link {
    case .longPolling: poll(customer)
    case .webSocket: listen(customer)
    }
  }

  // MARK: Long polling

  private func poll(_ customer: Customer) {
    customer.poll = HTTPRequest(.get, Self.subscriberPath + customer.userKey).bytes(for: load.settings.address)
    load.openConnection(
      of: customer,
      onResponse: { [unowned self, unowned customer] in answered($0, $1, customer) },
      whenOpen: { [unowned self, unowned customer] connection in
        connection.send(customer.poll)
        // From here on it is what each further poll begins with: everything but the empty line.
        customer.poll.moveWriterIndex(to: customer.poll.writerIndex - 2)
        load.linked(customer)
      })
  }

  private func answered(_ connection: HTTPConnection, _ response: HTTPResponse, _ customer: Customer) {
    guard response.status == 200,
      let cursor = NchanCursor(modified: response.header("Last-Modified"), tag: response.header("Etag"))
    else { return load.fail("nchan: \(response.status) \(response.body.withUnsafeReadableBytes(ChatLoad.excerpt))") }
    var next = customer.poll
    next.writeString(cursor.fields)
    next.writeString("\r\n")
    // The next poll goes out first: while the server works on it, this side works on the arrival.
    connection.send(next)
    read(response.body, customer)
  }

  // MARK: WebSocket

  private func listen(_ customer: Customer) {
    load.openSocket(
      of: customer, path: Self.subscriberPath + customer.userKey, headers: [],
      onText: { [unowned self, unowned customer] in read($1, customer) },
      whenOpen: { [unowned self, unowned customer] _ in load.linked(customer) })
  }

  private func read(_ message: ByteBuffer, _ customer: Customer) {
    guard let number = message.withUnsafeReadableBytes({ NumberedText.number(in: $0) }) else {
      return load.fail("nchan: not understood: \(message.withUnsafeReadableBytes(ChatLoad.excerpt))")
    }
    load.arrived([number], for: customer)
  }
}
