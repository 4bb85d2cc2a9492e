#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// A pipe to or from a program. Its ends are plain descriptors: whoever takes one closes it.
package struct ChildPipe: Sendable {
  package let readEnd: Int32
  package let writeEnd: Int32

  /// - Throws: `SpawnFailure` if this process has no descriptors left.
  package init() throws(SpawnFailure) {
    var ends: [Int32] = [0, 0]
    guard pipe(&ends) == 0 else { throw SpawnFailure("no pipe: \(String(cString: strerror(errno)))") }
    // A program that somebody else starts must not hold it open.
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    (readEnd, writeEnd) = (ends[0], ends[1])
  }
}

/// Closes an end of a pipe: the program sees the end of its input, or this process that of its output.
package func closePipe(_ descriptor: Int32) { _ = close(descriptor) }
