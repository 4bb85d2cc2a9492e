public import GCMProtocol
import Synchronization

/// One entry of a test sender's script.
public struct ScriptedFault: Sendable, Equatable {
  public enum Kind: Sendable, Equatable {
    /// Every target is answered with this code.
    case error(DownstreamError)
    /// The request is answered with this status: 401, 500, 503, ….
    case status(Int)
    /// Goes on as usual, but so much later.
    case slow
  }
  public let kind: Kind
  /// Before anything is answered.
  public let delayMilliseconds: Int
  /// For a 5xx: the header `Retry-After`, seconds.
  public let retryAfterSeconds: Int?
  public init(kind: Kind, delayMilliseconds: Int = 0, retryAfterSeconds: Int? = nil) {
    self.kind = kind
    self.delayMilliseconds = delayMilliseconds
    self.retryAfterSeconds = retryAfterSeconds
  }
}

/// The scripts of test senders: each request takes the next fault off its sender's. Gone with the process.
final class FaultScripts: Sendable {
  private let scripts = Mutex<[String: [ScriptedFault]]>([:])

  init() {}

  func next(of sender: String) -> ScriptedFault? {
    scripts.withLock { scripts in
      guard let script = scripts[sender], let fault = script.first else { return nil }
      scripts[sender] = script.count > 1 ? Array(script.dropFirst()) : nil
      return fault
    }
  }

  func set(_ faults: [ScriptedFault], of sender: String) {
    scripts.withLock { $0[sender] = faults.isEmpty ? nil : faults }
  }

  subscript(sender: String) -> [ScriptedFault] { scripts.withLock { $0[sender] ?? [] } }
}
