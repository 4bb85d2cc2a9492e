package import Hummingbird
package import NIOHTTP1

/// What a server says to the requests of its connections. Called on their event loops.
package protocol HTTPSite: AnyObject, Sendable {
  /// What its connections share.
  var services: HTTPServices { get }
  /// The part of it that a target is for, and the most bytes of a body there.
  func surface(of target: String) -> (HTTPSurface, bodyBytesMaximum: Int)
  /// Whether requests for a target are served also while the server stops, to its very end. By the target alone: such a
  /// connection delays nothing, whoever has it.
  func goesOnDuringStop(_ target: String) -> Bool
  /// Whether what is answered to a target may be compressed: it holds no secret and nobody's words, and is the same for
  /// everybody who may ask. See `CompressedAnswers`.
  func mayCompress(_ target: String) -> Bool
  /// Whether a target's route reads itself how a body is coded. Elsewhere a coding that is not known is 415.
  func readsCoding(of target: String) -> Bool
  /// Nil if the request is to be served. Asked by its head; its body is read all the same, to keep the connection.
  func refusal(of head: HTTPRequestHead, on connection: HTTPConnectionHandler) -> EdgeFailure?
  /// Answers a request, or sees to it that somebody does: `respond`, `write`, `poll`, `work` or `route` of the connection.
  func serve(_ request: RequestInProgress, on connection: HTTPConnectionHandler)
  /// A failure in the words of those who ask there.
  func body(of failure: EdgeFailure, on connection: HTTPConnectionHandler) -> (StaticString, [UInt8])
  /// The answer in place of a route's that has failed.
  func response(to failure: EdgeFailure, on surface: HTTPSurface) -> Response
}

extension HTTPSite {
  package func goesOnDuringStop(_ target: String) -> Bool { false }
  package func mayCompress(_ target: String) -> Bool { false }
  package func readsCoding(of target: String) -> Bool { false }
}
