import Glibc
public import NIOSSL
import Synchronization

/// The certificate that one port shows to new connections; read again while the server runs.
///
/// Whoever renews certificates replaces two files, one after the other: between the two they do not fit together, so what
/// cannot be used is tried again, and the earlier certificate stays meanwhile.
public final class ListenerCertificate: Sendable {
  /// What tells that a file is another one than before.
  private struct Stamp: Equatable {
    var inode: UInt64 = 0
    var byteCount: Int64 = 0
    var changedSeconds = 0
    var changedNanoseconds = 0

    init(_ path: String) {
      var facts = stat()
      guard stat(path, &facts) == 0 else { return }
      inode = UInt64(facts.st_ino)
      byteCount = Int64(facts.st_size)
      changedSeconds = facts.st_mtim.tv_sec
      changedNanoseconds = facts.st_mtim.tv_nsec
    }
  }

  private struct State {
    var context: NIOSSLContext
    var endSeconds: Int
    var stamps: [Stamp]
    /// Of files that were tried and could not be used.
    var refusedStamps: [Stamp]?
  }

  private let files: TLSFiles
  private let protocols: [String]
  private let state: Mutex<State>

  /// Reads both files; blocks for as long as that takes. Parameters and errors are those of `ListenerTLS.context`.
  public init(_ files: TLSFiles, protocols: [String] = []) throws {
    self.files = files
    self.protocols = protocols
    state = Mutex(try Self.read(files, protocols))
  }

  /// For the next connection.
  public var context: NIOSSLContext { state.withLock { $0.context } }

  /// When the chain ceases to be valid: the end of the certificate in it that ends first, in seconds since 1970.
  public var endSeconds: Int { state.withLock { $0.endSeconds } }

  /// Reads the files anew. Blocks.
  ///
  /// - Throws: if they cannot be used; then the earlier certificate stays.
  public func reload() throws {
    let fresh = try Self.read(files, protocols)
    state.withLock { $0 = fresh }
  }

  /// Reads the files anew if they are others than those that were read. Blocks.
  ///
  /// - Returns: whether there is a new certificate.
  /// - Throws: if they cannot be used, once for each change of them; then the earlier certificate stays.
  public func reloadIfChanged() throws -> Bool {
    // Before they are read: what changes meanwhile is noticed the next time.
    let stamps = Self.stamps(files)
    guard state.withLock({ $0.stamps != stamps && $0.refusedStamps != stamps }) else { return false }
    do {
      try reload()
      return true
    } catch {
      state.withLock { $0.refusedStamps = stamps }
      throw error
    }
  }

  private static func stamps(_ files: TLSFiles) -> [Stamp] {
    [Stamp(files.certificateChainPath), Stamp(files.privateKeyPath)]
  }

  private static func read(_ files: TLSFiles, _ protocols: [String]) throws -> State {
    let stamps = stamps(files)
    let context = try ListenerTLS.context(files, protocols: protocols)
    let ends = try NIOSSLCertificate.fromPEMFile(files.certificateChainPath).map { Int($0.notValidAfter) }
    return State(context: context, endSeconds: ends.min() ?? .max, stamps: stamps, refusedStamps: nil)
  }
}
