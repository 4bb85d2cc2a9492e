package import Bayeux

/// Who rides on Comet sessions and is told what becomes of them; in the order of their registration.
///
/// Each call returns once what follows from it is in the sessions' queues. A follower that has nothing to do with one of
/// them leaves it out.
package protocol CometFollower: Sendable {
  /// The client goes on: what was written to it and has not come is put before all that waits.
  func settle(_ request: ArrivedRequest, of session: CometSession, on exchange: CometExchange) async
  /// A handshake has named a position.
  func handshaken(_ session: CometSession, stating position: Int) async
  func connected(_ session: CometSession) async
  /// It gets events from now on.
  func subscribed(_ session: CometSession) async
  func unsubscribed(_ session: CometSession) async
  /// The client says goodbye.
  func left(_ session: CometSession, _ message: BayeuxMessage) async
  /// A start has restored it: what its client has not got yet is put into its queue.
  func returned(_ session: CometSession) async
  /// Nobody is there any more, without a word.
  func lost(_ session: CometSession) async
  /// A goodbye of a session that nobody knows.
  func strayed(_ message: BayeuxMessage, on exchange: CometExchange) async
}

extension CometFollower {
  package func settle(_ request: ArrivedRequest, of session: CometSession, on exchange: CometExchange) async {}
  package func handshaken(_ session: CometSession, stating position: Int) async {}
  package func connected(_ session: CometSession) async {}
  package func subscribed(_ session: CometSession) async {}
  package func unsubscribed(_ session: CometSession) async {}
  package func left(_ session: CometSession, _ message: BayeuxMessage) async {}
  package func returned(_ session: CometSession) async {}
  package func lost(_ session: CometSession) async {}
  package func strayed(_ message: BayeuxMessage, on exchange: CometExchange) async {}
}

/// Users who come by an access token, and the channels that are theirs beside the events'. Each call has what a client
/// has said: it judges.
package protocol CometBearers: Sendable {
  /// The reserved key of the user whom this token opens; nil if it opens nothing (any more).
  func userKey(bearing token: String) -> String?
  /// Of the channels that a message names, those that a user who has followed `followed` so far may subscribe to.
  func followable(_ wanted: [String], by userKey: String, beside followed: [String]) async -> Set<String>
  /// What a user publishes; nil if nobody may publish there, else what is wrong with it, or success.
  func published(_ message: BayeuxMessage, by userKey: String) async -> Result<Void, BayeuxError>?
}
