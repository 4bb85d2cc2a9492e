import Bayeux
import Synchronization

/// Each exchange is one POST; the held connect has a connection of its own because the pool opens one when it must.
final class LongPollingTransport: CometTransport {
  let type = ConnectionType.longPolling
  private let pool: HTTPPool
  private let headers: [(name: String, value: String)]
  private let trace: (@Sendable (WireTrace) -> Void)?
  private let deliver: CometDelivery
  private let nextID = Atomic<Int>(1)

  init(
    pool: HTTPPool, headers: [(name: String, value: String)], trace: (@Sendable (WireTrace) -> Void)?,
    deliver: @escaping CometDelivery
  ) {
    self.pool = pool
    self.headers = headers
    self.trace = trace
    self.deliver = deliver
  }

  func exchange(_ requests: [CometRequest], timeout: Duration) async throws(ClientError) -> [CometMessage] {
    let firstID = nextID.add(requests.count, ordering: .relaxed).oldValue
    let body = encode(requests, firstID: firstID)
    trace?(WireTrace(direction: .sent, summary: "POST /genesys/cometd", body: body))
    let response = try await pool.response(
      to: HTTPRequest(.post, "/genesys/cometd", headers: headers, contentType: "application/json", body: body),
      timeout: timeout)
    let bytes = response.bodyBytes
    trace?(WireTrace(direction: .received, summary: String(response.status), body: bytes))
    guard response.status == 200 else {
      throw .refused(status: response.status, message: errorMessage(in: bytes))
    }
    let messages = try CometMessage.messages(in: bytes)
    let events = messages.filter { $0.successful == nil }
    if !events.isEmpty { await deliver(events) }
    var replies: [CometMessage] = []
    for (offset, request) in requests.enumerated() {
      let id = String(firstID + offset)
      guard let reply = messages.first(where: { $0.successful != nil && $0.id == id }) else {
        throw .malformedResponse("no reply to \(request.channel)")
      }
      replies.append(reply)
    }
    return replies
  }

  func close() {}
}
