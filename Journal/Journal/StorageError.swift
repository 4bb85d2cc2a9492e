public import SystemPackage

/// An operation of the disk that failed.
public struct StorageError: Error, Sendable, Hashable {
  public enum Operation: String, Sendable {
    case createDirectory, list, open, read, write, synchronize, synchronizeDirectory, rename, remove, lock, size
  }

  public let errno: Errno
  public let operation: Operation
  public let path: FilePath

  public init(_ errno: Errno, _ operation: Operation, _ path: FilePath) {
    self.errno = errno
    self.operation = operation
    self.path = path
  }

  public var isDiskFull: Bool { errno == .noSpace || errno == Errno.diskQuotaExceeded }
}

extension Errno {
  // EDQUOT of Linux.
  fileprivate static var diskQuotaExceeded: Errno { Errno(rawValue: 122) }
}

extension StorageError: CustomStringConvertible {
  public var description: String { "\(operation.rawValue) \(path): \(errno)" }
}
