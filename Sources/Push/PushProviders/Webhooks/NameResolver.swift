internal import NIOPosix
internal import NetworkAddress
internal import Synchronization

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Darwin
#endif

/// Finds the addresses of a name.
protocol NameResolver: Sendable {
  /// Calls `completion` once, on any thread: with all addresses, the best first, or none.
  func resolve(_ host: String, _ completion: @escaping @Sendable ([IPAddress]) -> Void)
  func shutdown()
}

/// The system's own resolver on threads of its own: it blocks, and cannot be stopped.
final class SystemNameResolver: NameResolver {
  /// Look-ups that can be slow at the same time.
  static let threadsMaximum = 16

  private enum State { case fresh, running, shutDown }

  private let pool = NIOThreadPool(numberOfThreads: threadsMaximum)
  private let state = Mutex(State.fresh)

  func resolve(_ host: String, _ completion: @escaping @Sendable ([IPAddress]) -> Void) {
    // The threads are not made before the first name: many servers post to none.
    state.withLock { state in
      guard state == .fresh else { return }
      pool.start()
      state = .running
    }
    // After the shutdown the pool runs it at once, as cancelled.
    pool.submit { progress in completion(progress == .active ? Self.addresses(of: host) : []) }
  }

  /// Does not wait for a look-up that hangs: its thread ends by itself.
  func shutdown() {
    state.withLock { state in
      if state == .running { pool.shutdownGracefully { _ in } }
      state = .shutDown
    }
  }

  private static func addresses(of host: String) -> [IPAddress] {
    var hints = addrinfo()
    hints.ai_family = AF_UNSPEC
    #if canImport(Glibc)
      hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
    #else
      hints.ai_socktype = SOCK_STREAM
    #endif
    var first: UnsafeMutablePointer<addrinfo>?
    guard getaddrinfo(host, nil, &hints, &first) == 0, let first else { return [] }
    defer { freeaddrinfo(first) }
    var addresses: [IPAddress] = []
    var next: UnsafeMutablePointer<addrinfo>? = first
    while let entry = next?.pointee {
      if let start = entry.ai_addr, addresses.count < AddressBook.addressesMaximum {
        let bytes = UnsafeRawBufferPointer(start: start, count: Int(entry.ai_addrlen))
        switch entry.ai_family {
        case AF_INET where bytes.count >= 8:
          addresses.append(IPAddress(ipv4: UInt32(bigEndian: bytes.loadUnaligned(fromByteOffset: 4, as: UInt32.self))))
        case AF_INET6 where bytes.count >= 24:
          addresses.append(
            IPAddress(bits: UInt128(bigEndian: bytes.loadUnaligned(fromByteOffset: 8, as: UInt128.self))))
        default: break
        }
      }
      next = entry.ai_next
    }
    return addresses
  }
}
