import ArgumentParser
import Foundation
import HTTPEdge
import SystemPackage

/// What only a token of the role `sender` has. Spec: GCM B1.3, E2.
struct SenderArguments: ParsableArguments {
  @Option(help: "The sender id that devices register for; only with --role sender.") var sender: String?
  @Option(help: "The project of HTTP v1; any name is taken if absent.") var project: String?
  @Flag(help: "Operators may script faults for this sender.") var testMode = false
  @Option(name: .customLong("allow"), help: "An IP address that requests may come from; may be given again.")
  var allowedAddresses: [String] = []
  @Option(help: "Write a key file there, as Google's client libraries read it.") var serviceAccount: String?
  @Option(help: "The server's URL for that file; the configured port on loopback if absent.") var server: String?

  var isEmpty: Bool {
    sender == nil && project == nil && !testMode && allowedAddresses.isEmpty && serviceAccount == nil && server == nil
  }

  /// What to create the token with; the key file is written now, and `discard` takes it back.
  /// - Throws: `CommandFailure`.
  func grant(name: String, role: TokenRole, ownURL: String) throws -> SenderGrant? {
    guard role == .sender else {
      guard isEmpty else { throw CommandFailure(.usage, "only --role sender goes with a sender's options") }
      return nil
    }
    guard let sender else { throw CommandFailure(.usage, "--role sender needs --sender ID") }
    var account: ServiceAccount?
    if let serviceAccount {
      let key: ServiceAccountKey
      do {
        key = try ServiceAccountKey(name: name, projectID: project ?? sender, server: server ?? ownURL)
      } catch {
        throw CommandFailure(.software, "no key can be made: \(error)")
      }
      // Whoever has the file can send.
      try NewFile.create(serviceAccount, key.file, mode: .ownerReadWrite)
      account = key.account
    }
    return SenderGrant(
      sender: sender, isTest: testMode, allowedAddresses: allowedAddresses, projectID: project, account: account)
  }

  /// Takes the key file back: there is no token that it belongs to.
  func discard() {
    if let serviceAccount { try? FileManager.default.removeItem(atPath: serviceAccount) }
  }
}
