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
  /// The requests that post a message, in turn; in each the text's number stands at its `offset`.
  private var posts: [(request: ByteBuffer, offset: Int)] = []

  /// The highest transcript position delivered.
  var position = 0
  /// The numbers of the message last sent and last delivered.
  var sentSequence = 0
  var deliveredSequence = 0
  /// When each message that is on its way was due, oldest first.
  var due: [NIODeadline] = []
  /// When each message that waits for the answer to the one before it was due, oldest first.
  var held = CircularBuffer<NIODeadline>()
  /// Posts that have not been answered yet: one at most.
  var unanswered = 0
  var isSetUp = false

  init(index: Int, userKey: String) {
    self.index = index
    self.userKey = userKey
  }

  var userHeaders: [(name: String, value: String)] { [(name: "gms_user", value: userKey)] }

  /// Takes the request that each message is a copy of, with another number; of several, each in its turn.
  /// - Parameters:
  ///   - text: the message, which begins with its number.
  ///   - bytesBehind: what the request has behind it.
  func prepare(_ request: ByteBuffer, _ text: String, bytesBehind: Int) {
    posts.append((request, request.writerIndex - text.utf8.count - bytesBehind))
  }

  /// The next message to post.
  func nextPost() -> ByteBuffer {
    sentSequence += 1
    let turn = sentSequence % posts.count
    posts[turn].request.setBytes(MessageText.prefix(sentSequence), at: posts[turn].offset)
    return posts[turn].request
  }
}
