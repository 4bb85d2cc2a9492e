/// A capability of the server, as whoever puts one together sees it.
package protocol Feature: ServerPart {
  /// The kinds of entities that are its own.
  static var kinds: [EntityCard] { get }

  /// All state is there, and nothing that is owed has been taken up yet.
  func restored() async throws
  /// Runs what is its own until `finish`.
  func run() async
  /// A graceful stop begins: whoever waits is answered, and nobody new is let in.
  func drain() async
  /// Nothing more is to be done.
  func finish()
  /// The journal is closed, and all that it will ever hold is on the disk: whoever is still to be told of it is told, until
  /// `deadline` in monotonic milliseconds.
  func closed(until deadline: Int64) async
}

extension Feature {
  package func restored() async throws {}
  package func run() async {}
  package func drain() async {}
  package func finish() {}
  package func closed(until deadline: Int64) async {}
}
