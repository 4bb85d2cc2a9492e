import CarillonClient
import JSONEnvelope
import NIOCore

/// A chat for each customer, with or without the agent; what is posted to it comes to the customer's Comet session.
///
/// ```
///   create ──> start ──> (agent joins) ──> link
/// ```
final class CarillonChats: LoadService {
  private unowned let load: ChatLoad
  private var scanner = DeliveryScanner()
  private lazy var link = CometLink(load) { [unowned self] in arrived($0, for: $1) }

  init(_ load: ChatLoad) { self.load = load }

  func setUp(_ customer: Customer) {
    let request = HTTPRequest(.post, "/genesys/1/service/request-chat", headers: customer.userHeaders)
    load.submit(request) { [unowned self] reply in
      guard let id = reply["_id"]?.string else { return load.fail("no service id") }
      customer.serviceID = id
      start(customer)
    }
  }

  private func start(_ customer: Customer) {
    let body = formEncoded([
      (name: "notify_by", value: "comet"), (name: "firstName", value: "Customer"),
      (name: "lastName", value: String(customer.index)), (name: "subject", value: "Order \(customer.index)"),
    ])
    let request = HTTPRequest(
      .post, "/genesys/1/service/\(customer.serviceID)/ixn/chat", headers: customer.userHeaders,
      contentType: "application/x-www-form-urlencoded", body: body)
    load.submit(request) { [unowned self] reply in
      guard let chatID = reply["chatSessionId"]?.string,
        let position = reply["transcriptPosition"]?.lenientInteger
      else { return load.fail("no chat") }
      customer.chatID = chatID
      customer.position = position
      prepareMessage(customer)
      if load.settings.agentJoins { join(customer) } else { link.open(customer) }
    }
  }

  private func join(_ customer: Customer) {
    let request = HTTPRequest(
      .post, "/agent/1/chats/\(customer.chatID)/join", headers: agentHeaders, contentType: "application/json",
      body: Array(#"{"nickname":"Agent K","role":"AGENT"}"#.utf8))
    load.submit(request) { [unowned self] _ in link.open(customer) }
  }

  private func prepareMessage(_ customer: Customer) {
    let text = MessageText.first(of: customer.index)
    let byAgent = HTTPRequest(
      .post, "/agent/1/chats/\(customer.chatID)/messages", headers: agentHeaders, contentType: "application/json",
      body: Array(#"{"text":"\#(text)"}"#.utf8))
    let byCustomer = HTTPRequest(
      .post, "/genesys/1/service/\(customer.serviceID)/ixn/chat/send", headers: customer.userHeaders,
      contentType: "application/json", body: Array(#"{"message":"\#(text)"}"#.utf8))
    let requests =
      switch load.settings.sender {
      case .agent: [byAgent]
      case .customer: [byCustomer]
      case .both: [byAgent, byCustomer]
      }
    for request in requests { customer.prepare(request.bytes(for: load.settings.address), text, bytesBehind: 2) }
  }

  private var agentHeaders: [(name: String, value: String)] {
    [(name: "Authorization", value: "Bearer \(load.settings.agentToken)")]
  }

  /// Positions come without gap or repetition.
  private func arrived(_ bytes: UnsafeRawBufferPointer, for customer: Customer) {
    guard scanner.scan(bytes) else { return load.fail("not understood: \(ChatLoad.excerpt(bytes))") }
    for notification in scanner.notifications {
      let first = notification.position - notification.events
      guard first == customer.position else {
        return load.fail(
          "chat \(customer.chatID): events \(first + 1)…\(notification.position) came when "
            + "\(customer.position) was the last")
      }
      customer.position = notification.position
    }
    load.arrived(scanner.sequences, for: customer)
  }
}
