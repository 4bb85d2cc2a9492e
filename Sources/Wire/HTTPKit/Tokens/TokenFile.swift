import JSONEnvelope

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// The file `tokens.json`: read whole, replaced whole.
package struct TokenFile: Sendable {
  /// What it holds.
  package struct Content: Sendable, Equatable {
    package var tokens: [AccessToken]
    /// Codes of one-time links that nobody has used yet.
    package var codes: [SignInCode]

    package init(tokens: [AccessToken] = [], codes: [SignInCode] = []) {
      self.tokens = tokens
      self.codes = codes
    }
  }

  /// Changes whenever the file is replaced or written to; nil while there is no file.
  package struct Version: Equatable, Sendable {
    package let inode: UInt64
    package let size: Int64
    package let seconds: Int
    package let nanoseconds: Int
  }

  package let path: String
  private let directory: String

  package init(directory: String) {
    self.directory = directory
    path = directory + "/tokens.json"
  }

  /// One `stat`: cheap enough to be asked at every look-up.
  package func version() throws(TokenStoreError) -> Version? {
    var status = stat()
    guard stat(path, &status) == 0 else {
      if errno == ENOENT { return nil }
      throw failure("stat")
    }
    #if canImport(Darwin)
      let time = status.st_mtimespec
    #else
      let time = status.st_mtim
    #endif
    return Version(
      inode: UInt64(status.st_ino), size: Int64(status.st_size), seconds: Int(time.tv_sec),
      nanoseconds: Int(time.tv_nsec))
  }

  /// Empty while there is no file.
  package func read() throws(TokenStoreError) -> Content {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else {
      if errno == ENOENT { return Content() }
      throw failure("open")
    }
    defer { close(descriptor) }
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 16_384)
    while true {
      let count = chunk.withUnsafeMutableBytes { systemRead(descriptor, $0) }
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { throw failure("read") }
      if count == 0 { break }
      bytes += chunk[..<count]
      guard bytes.count <= EdgeLimits.tokenFileBytesMaximum else {
        throw TokenStoreError(.malformed, "\(path) is too large")
      }
    }
    return try Self.parse(bytes, path: path)
  }

  /// Writes a new file beside the old one, syncs it, and puts it in the old one's place: a crash leaves either of them.
  package func replace(by content: Content) throws(TokenStoreError) {
    let temporary = "\(path).\(getpid()).new"
    let descriptor = open(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw failure("open") }
    do throws(TokenStoreError) {
      guard fchmod(descriptor, 0o600) == 0 else { throw failure("fchmod") }
      var rest = Self.print(content)[...]
      while !rest.isEmpty {
        let count = rest.withUnsafeBytes { systemWrite(descriptor, $0) }
        if count < 0, errno == EINTR { continue }
        guard count > 0 else { throw failure("write") }
        rest = rest.dropFirst(count)
      }
      guard fsync(descriptor) == 0 else { throw failure("fsync") }
    } catch {
      close(descriptor)
      unlink(temporary)
      throw error
    }
    close(descriptor)
    guard rename(temporary, path) == 0 else {
      let error = failure("rename")
      unlink(temporary)
      throw error
    }
    // The new name must survive a crash, too.
    let folder = open(directory, O_RDONLY | O_CLOEXEC)
    guard folder >= 0 else { throw failure("open") }
    defer { close(folder) }
    guard fsync(folder) == 0 else { throw failure("fsync") }
  }

  /// Runs `body` while no other process changes the file.
  package func locked<Result>(_ body: () throws(TokenStoreError) -> Result) throws(TokenStoreError) -> Result {
    let descriptor = open(path + ".lock", O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw failure("open") }
    defer { close(descriptor) }  // releases the lock
    while flock(descriptor, LOCK_EX) != 0 {
      guard errno == EINTR else { throw failure("flock") }
    }
    return try body()
  }

  package static func print(_ content: Content) -> [UInt8] {
    JSONWriter.object(capacity: 256 * (content.tokens.count + 1)) { file in
      file.objects("tokens", content.tokens) { $0.write(into: &$1) }
      if !content.codes.isEmpty { file.objects("codes", content.codes) { $0.write(into: &$1) } }
    } + [UInt8(ascii: "\n")]
  }

  package static func parse(_ bytes: [UInt8], path: String) throws(TokenStoreError) -> Content {
    let document = try? JSONValue(parsing: bytes)
    guard let entries = document?["tokens"]?.array else {
      throw TokenStoreError(.malformed, "\(path) is not a token file")
    }
    let tokens = entries.compactMap { AccessToken($0) }
    guard tokens.count == entries.count else {
      throw TokenStoreError(.malformed, "\(path) has an entry that is not a token")
    }
    let links = document?["codes"]?.array ?? []
    let codes = links.compactMap { SignInCode($0) }
    guard codes.count == links.count else {
      throw TokenStoreError(.malformed, "\(path) has an entry that is not the code of a link")
    }
    return Content(tokens: tokens, codes: codes)
  }

  private func failure(_ call: String) -> TokenStoreError {
    TokenStoreError(.storage, "\(path): \(call): \(String(cString: strerror(errno)))")
  }

}

// Members above are called `read`, so the system's functions are named out here.
private func systemRead(_ descriptor: Int32, _ buffer: UnsafeMutableRawBufferPointer) -> Int {
  read(descriptor, buffer.baseAddress, buffer.count)
}

private func systemWrite(_ descriptor: Int32, _ buffer: UnsafeRawBufferPointer) -> Int {
  write(descriptor, buffer.baseAddress, buffer.count)
}
