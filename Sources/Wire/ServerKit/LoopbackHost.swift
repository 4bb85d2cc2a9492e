/// Names of this machine that nobody outside of it can connect to.
package enum LoopbackHost {
  /// What a server listens on that has no secrets to tell friends from strangers by.
  package static let address = "127.0.0.1"

  package static func contains(_ host: String) -> Bool {
    host == "localhost" || host == "::1" || host.hasPrefix("127.")
  }
}
