import EntityRuntime
import HTTPEdge
import Journal
import NIOCore
import NIOSSL
import SystemPackage

/// Why the server cannot start or go on, in one line, with the exit code that says so.
struct ServeFailure: Error, CustomStringConvertible {
  let status: ExitStatus
  let description: String

  init(_ status: ExitStatus, _ description: String) {
    self.status = status
    self.description = description
  }

  init(_ error: PartitionError) { self.init(ExitStatus(error), "\(error)") }

  /// What a service of the group threw.
  init(_ error: any Error) {
    switch error {
    case let failure as ServeFailure: self = failure
    case let error as JournalError: self.init(ExitStatus(error), "\(error)")
    case let error as PartitionError: self.init(error)
    case let error as SnapshotError: self.init(ExitStatus(error), "\(error)")
    case let error as ReplayError: self.init(.damagedData, "\(error)")
    case let error as AccessLogFailure: self.init(.dataDirectory, "\(error)")
    case let error as IdentityUnusable: self.init(.configuration, "users cannot be proven: \(error)")
    case let error as TokenStoreError: self.init(.dataDirectory, "\(error)")
    case let error as NIOSSLError: self.init(.configuration, "tls.certificate or tls.key cannot be used: \(error)")
    case let error as BoringSSLError: self.init(.configuration, "tls.certificate or tls.key cannot be used: \(error)")
    default: self.init(.software, "\(error)")
    }
  }
}
