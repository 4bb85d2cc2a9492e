import Glibc
package import Journal
import StandbyWire
package import SystemPackage

/// An open file of the data directory, as a standby or a backup is to have it: what is replaced under its name meanwhile does not
/// change it.
package final class ServedFile: Sendable {
  package let path: FilePath
  package let byteCount: Int
  /// Of this file and this content, as far as the file system tells.
  package let version: String
  private let descriptor: FileDescriptor

  /// - Throws: with `noSuchFileOrDirectory` if no regular file has that name. Links are not followed.
  package init(_ path: FilePath) throws(StorageError) {
    self.path = path
    do {
      descriptor = try FileDescriptor.open(path, .readOnly, options: [.closeOnExec, .noFollow, .nonBlocking])
    } catch {
      let cause = (error as? Errno) ?? .ioError
      throw StorageError(cause == .tooManySymbolicLinkLevels ? .noSuchFileOrDirectory : cause, .open, path)
    }
    var status = stat()
    guard fstat(descriptor.rawValue, &status) == 0 else {
      let cause = Errno(rawValue: errno)
      try? descriptor.close()
      throw StorageError(cause, .size, path)
    }
    guard status.st_mode & S_IFMT == S_IFREG else {
      try? descriptor.close()
      throw StorageError(.noSuchFileOrDirectory, .open, path)
    }
    byteCount = Int(status.st_size)
    version = Self.version(status)
    inode = UInt64(status.st_ino)
  }

  /// Another one once the file was replaced, and the same while it is only written to.
  package let inode: UInt64

  /// The version by now: of a file that was written to since it was opened, another one.
  package func currentVersion() throws(StorageError) -> String {
    var status = stat()
    guard fstat(descriptor.rawValue, &status) == 0 else { throw StorageError(Errno(rawValue: errno), .size, path) }
    return Self.version(status)
  }

  private static func version(_ status: stat) -> String {
    let time = status.st_mtim
    return "\(status.st_ino)-\(status.st_size)-\(time.tv_sec).\(time.tv_nsec)"
  }

  deinit { try? descriptor.close() }

  func described(as place: StandbyPath) -> StandbyFile {
    StandbyFile(place, byteCount: byteCount, version: version)
  }

  /// Reads up to `count` bytes; fewer where the file ends.
  package func read(at offset: Int, count: Int) throws(StorageError) -> [UInt8] {
    do {
      return try [UInt8](unsafeUninitializedCapacity: count) { buffer, done in
        while done < count {
          let rest = UnsafeMutableRawBufferPointer(rebasing: UnsafeMutableRawBufferPointer(buffer)[done...])
          let read = try descriptor.read(fromAbsoluteOffset: Int64(offset + done), into: rest)
          if read == 0 { return }
          done += read
        }
      }
    } catch {
      throw StorageError((error as? Errno) ?? .ioError, .read, path)
    }
  }
}
