import CarillonClient
import NIOCore

/// One customer of the load: a chat, a Comet session and what is on its way to it. Belongs to the load's event loop.
final class Customer {
  let index: Int
  let userKey: String
  var serviceID = ""
  var chatID = ""
  var clientID = ""
  var connection: HTTPConnection?
  var socket: WebSocketConnection?

  /// The connect that is sent again and again: a request, or the text of a frame.
  var poll = ByteBuffer()
  /// The request that posts a message; the text's number stands at `sequenceOffset`.
  var post = ByteBuffer()
  var sequenceOffset = 0

  /// The highest transcript position delivered.
  var position = 0
  /// The numbers of the message last sent and last delivered.
  var sentSequence = 0
  var deliveredSequence = 0
  /// When each message that is on its way was due, oldest first.
  var due: [NIODeadline] = []
  /// Posts that have not been answered yet.
  var unanswered = 0
  var isSetUp = false

  /// - Parameter load: tells the customers of several loads on one server apart: a user's chats share one channel.
  init(index: Int, load: UInt64) {
    self.index = index
    userKey = "bench-\(load)-\(index)"
  }

  /// The next message to post.
  func nextPost() -> ByteBuffer {
    sentSequence += 1
    post.setBytes(MessageText.prefix(sentSequence), at: sequenceOffset)
    return post
  }
}
