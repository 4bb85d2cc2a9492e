import CarillonClient
import NIOCore
import PeerFormats

/// One subscription of the type `comet`, and all customers as Comet sessions of the user whom it names: what is published
/// is in the journal before it goes to the sessions, and reaches each of them.
final class CarillonNotifications: LoadService {
  private static let messageKey = BytePattern(#""message":""#)

  private unowned let load: ChatLoad
  private let publisherToken: String
  private lazy var link = CometLink(load) { [unowned self] in arrived($0, for: $1) }

  init(_ load: ChatLoad, publisherToken: String) {
    self.load = load
    self.publisherToken = publisherToken
  }

  func setUp(_ customer: Customer) {
    // The first one's request subscribes for all, and its post is the one that all hear.
    guard customer.index == 0 else { return link.open(customer) }
    let user = customer.userKey
    let text = MessageText.first(of: customer.index)
    let publication = HTTPRequest(
      .post, "/genesys/1/notification/publish",
      headers: [(name: "Authorization", value: "Bearer \(publisherToken)")], contentType: "application/json",
      body: Array(#"{"tag":"\#(user)","message":"\#(text)"}"#.utf8))
    customer.prepare(publication.bytes(for: load.settings.address), text, bytesBehind: 2)
    let subscription = HTTPRequest(
      .post, "/genesys/1/notification/subscription", headers: customer.userHeaders, contentType: "application/json",
      body: Array(
        #"{"subscriberId":"\#(user)","filter":"\#(user)","notificationDetails":{"type":"comet","deviceId":"\#(user)"}}"#
          .utf8))
    load.submit(subscription) { [unowned self] _ in link.open(customer) }
  }

  private func arrived(_ bytes: UnsafeRawBufferPointer, for customer: Customer) {
    var numbers: [Int] = []
    var offset = 0
    while let found = Self.messageKey.firstIndex(in: bytes, from: offset) {
      offset = found + Self.messageKey.count
      guard let number = NumberedText.number(in: bytes, at: offset) else {
        return load.fail("not understood: \(ChatLoad.excerpt(bytes))")
      }
      numbers.append(number)
    }
    load.arrived(numbers, for: customer)
  }
}
