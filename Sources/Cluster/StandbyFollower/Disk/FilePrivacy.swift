internal import Glibc
package import Journal
package import SystemPackage

/// Files that nobody but their owner may read.
package enum FilePrivacy {
  package static func protect(_ path: FilePath) throws(StorageError) {
    guard path.withPlatformString({ chmod($0, 0o600) }) == 0 else {
      throw StorageError(Errno(rawValue: errno), .open, path)
    }
  }
}
