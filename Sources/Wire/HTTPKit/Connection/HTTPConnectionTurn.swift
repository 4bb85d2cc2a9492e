package import NIOCore
package import NIOHTTP1

/// What is to be done after one input: at most one change of the deadline, and after it at most one action.
///
/// In this order, and no more than that: an action may bring the next input before it returns, and whatever followed it
/// would undo what that one wants.
package struct HTTPConnectionTurn: Equatable {
  package enum Deadline: Equatable {
    case kept
    case cleared
    /// Replaces the one that was set.
    case after(Duration)
  }

  package private(set) var deadline = Deadline.kept
  package private(set) var action: HTTPConnectionAction?

  static let nothing = HTTPConnectionTurn()

  init(_ deadline: Deadline = .kept, _ action: HTTPConnectionAction? = nil) {
    self.deadline = deadline
    self.action = action
  }

  init(_ action: HTTPConnectionAction) { self.init(.kept, action) }
}

/// One thing that an HTTP connection wants done.
package enum HTTPConnectionAction: Equatable {
  /// Look at the head of the next request; `judged` or `refuses` follows.
  case judge(HTTPRequestHead)
  /// Say that the body is welcome.
  case writeContinue
  /// Answer the request, which has been read whole. - Parameter body: nil if there is none, or none of interest.
  case serve(body: ByteBuffer?)
  /// Answer a request that has not been read whole, and gives the connection up.
  case refuse(HTTPConnectionRefusal)
  /// End the work on the request, and say that it took too long.
  case giveUp
  /// Fill the silence of an event stream.
  case writeHeartbeat
  /// The request is answered and the connection goes on: forget it.
  case forget
  /// Say that nothing more will be said; the client may still be sending.
  case closeOutput
  /// Read on.
  case read
  /// Close the connection.
  case close
  /// The connection ended before the engine's answer.
  case tellDeparture
  /// The connection ended: nobody waits for what works on a request.
  case cancelWork
}

/// Why a request is answered before it has been read whole.
package enum HTTPConnectionRefusal: Equatable {
  /// It is no HTTP that can be read.
  case unreadable
  case slowHead
  case slowBody
  case bodyTooLarge(limit: Int)
  /// The body brings too much beside its content.
  case excess
  case unknownExpectation
  /// For what was found when its head was looked at: its client waits for leave to send the body.
  case asJudged
}
