import Foundation

/// A service manager's end of the socket that it is told on how a process fares.
public final class ManagerSocket: Sendable {
  /// As `NOTIFY_SOCKET` names it.
  public let address: String
  private let descriptor: Int32
  private let directory: URL?

  /// - Parameter isAbstract: under a name that is in no directory.
  public init(isAbstract: Bool = false) throws {
    let unique = "carillon-\(UUID().uuidString)"
    if isAbstract {
      directory = nil
      address = "@\(unique)"
    } else {
      let made = FileManager.default.temporaryDirectory.appending(path: unique)
      try FileManager.default.createDirectory(at: made, withIntermediateDirectories: true)
      directory = made
      address = made.appending(path: "notify").path
    }
    descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0)
    var bound = sockaddr_un()
    bound.sun_family = sa_family_t(AF_UNIX)
    var name = Array(address.utf8)
    if isAbstract { name[0] = 0 }
    withUnsafeMutableBytes(of: &bound.sun_path) { $0.copyBytes(from: name) }
    let length = MemoryLayout<sockaddr_un>.size - MemoryLayout.size(ofValue: bound.sun_path) + name.count
    let status = withUnsafePointer(to: &bound) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(descriptor, $0, socklen_t(length)) }
    }
    guard descriptor >= 0, status == 0 else { throw POSIXError(.init(rawValue: errno) ?? .EIO) }
  }

  deinit {
    close(descriptor)
    if let directory { try? FileManager.default.removeItem(at: directory) }
  }

  /// The next datagram that is there already; nil if there is none.
  public func next() -> String? {
    var bytes = [UInt8](repeating: 0, count: 4_096)
    let count = recv(descriptor, &bytes, bytes.count, Int32(MSG_DONTWAIT))
    return count < 0 ? nil : String(decoding: bytes[..<count], as: UTF8.self)
  }

  /// What comes until one `isLast`, that one included. Waits for ever: the test's time limit is the bound.
  public func notices(until isLast: (String) -> Bool) async throws -> [String] {
    var heard: [String] = []
    while true {
      if let notice = next() {
        heard.append(notice)
        if isLast(notice) { return heard }
      } else {
        try await Task.sleep(for: .milliseconds(1))
      }
    }
  }
}
