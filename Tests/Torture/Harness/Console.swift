import Glibc

/// Standard output, line by line: each is one write, so that the lines of several threads do not mix and a reader at
/// the other end of a pipe has them at once.
enum Console {
  static func say(_ line: String) {
    let bytes = Array((line + "\n").utf8)
    var done = 0
    while done < bytes.count {
      let count = bytes.withUnsafeBytes { bytes in
        write(STDOUT_FILENO, bytes.baseAddress.map { $0 + done }, bytes.count - done)
      }
      // Nobody listens any more.
      if count <= 0 { return }
      done += count
    }
  }
}
