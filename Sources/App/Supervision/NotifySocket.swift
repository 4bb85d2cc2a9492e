#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Where the service manager that has started this process listens for its notices: a datagram socket, named by
/// `NOTIFY_SOCKET`. Spec: `sd_notify(3)`.
package struct NotifySocket: Sendable {
  /// Of the environment.
  package static let variable = "NOTIFY_SOCKET"

  /// The address as the kernel has it: an abstract name begins with a zero byte.
  private let name: [UInt8]

  /// Nil if nobody listens, or at something that is no address of a socket on this machine: a path from the root, or
  /// `@` and a name that is in no directory.
  package init?(environment: [String: String]) {
    guard let address = environment[Self.variable] else { return nil }
    var name = Array(address.utf8)
    guard name.count >= 2, name.count < Self.nameBytesMaximum, !name.contains(0) else { return nil }
    switch name[0] {
    case UInt8(ascii: "/"): break
    case UInt8(ascii: "@"): name[0] = 0
    default: return nil
    }
    self.name = name
  }

  /// Sends all of them as one datagram. Never waits, and a manager that is gone is no reason to fail.
  /// - Returns: whether it was taken.
  @discardableResult
  package func send(_ notices: [ServiceNotice]) -> Bool {
    guard !notices.isEmpty else { return true }
    let descriptor = socket(AF_UNIX, Self.datagram, 0)
    guard descriptor >= 0 else { return false }
    defer { close(descriptor) }
    let text = Array(notices.map(\.description).joined(separator: "\n").utf8)
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: name) }
    // An abstract name ends where the address does; a path may be followed by its zero.
    let length = MemoryLayout<sockaddr_un>.offset(of: \.sun_path).map { $0 + name.count } ?? 0
    let sent = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        sendto(descriptor, text, text.count, Self.flags, $0, socklen_t(length))
      }
    }
    return sent == text.count
  }

  /// What the kernel takes, less the zero behind a path.
  private static let nameBytesMaximum = MemoryLayout.size(ofValue: sockaddr_un().sun_path)

  #if canImport(Darwin)
    private static let datagram = SOCK_DGRAM
    private static let flags = MSG_DONTWAIT
  #else
    private static let datagram = Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue)
    private static let flags = Int32(MSG_DONTWAIT) | Int32(MSG_NOSIGNAL)
  #endif
}
