import SystemPackage

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// A file that a command makes for its user, who may have another of that name.
enum NewFile {
  /// Writes a new file; one that is there stays as it is.
  /// - Throws: `CommandFailure`.
  static func create(_ file: String, _ bytes: [UInt8], mode: FilePermissions) throws {
    do {
      let descriptor = try FileDescriptor.open(
        FilePath(file), .writeOnly, options: [.create, .exclusiveCreate, .closeOnExec], permissions: mode)
      try descriptor.closeAfter { _ = try descriptor.writeAll(bytes) }
    } catch Errno.fileExists {
      throw exists(file)
    } catch let error as Errno {
      throw CommandFailure(.dataDirectory, "\(file) cannot be written: \(error)")
    }
  }

  static func exists(_ file: String) -> CommandFailure {
    CommandFailure(.dataDirectory, "\(file) exists already and is not overwritten: name another file")
  }
}

/// The file of a token's secret: for nobody but its owner.
struct SecretFile {
  let path: String

  var exists: Bool { access(path, F_OK) == 0 }

  /// - Throws: `CommandFailure` if there is a file already.
  func requireAbsent() throws { if exists { throw NewFile.exists(path) } }

  /// - Throws: `CommandFailure`, also if there is a file already.
  func create(_ secret: String) throws { try NewFile.create(path, Array("\(secret)\n".utf8), mode: .ownerReadWrite) }

  /// Puts another secret in the place of the one that is there, whole or not at all.
  /// - Throws: `CommandFailure`.
  func replace(by secret: String) throws {
    let fresh = SecretFile(path: path + ".new")
    try fresh.create(secret)
    guard rename(fresh.path, path) == 0 else {
      let error = Errno(rawValue: errno)
      unlink(fresh.path)
      throw CommandFailure(.dataDirectory, "\(path) cannot be written: \(error)")
    }
  }
}
