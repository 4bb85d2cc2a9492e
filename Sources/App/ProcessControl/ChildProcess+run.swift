#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

extension ChildProcess {
  /// What a program came to.
  package struct Outcome: Sendable {
    /// As `poll` gives it.
    package let status: Int32
    package let output: [UInt8]
    package let errors: [UInt8]
  }

  /// Runs a program to its end, takes all that it writes, and keeps the thread meanwhile.
  /// - Parameter keepsErrors: false: what it says on its standard error is thrown away.
  package static func run(
    _ executable: String, _ arguments: [String], environment: [String: String]? = nil, keepsErrors: Bool = true
  ) throws(SpawnFailure) -> Outcome {
    let (output, errors) = (try ChildPipe(), try ChildPipe())
    defer { for end in [output.readEnd, errors.readEnd] { closePipe(end) } }
    let child: ChildProcess
    do {
      defer { for end in [output.writeEnd, errors.writeEnd] { closePipe(end) } }
      child = try ChildProcess(
        executable, arguments, environment: environment, output: .descriptor(output.writeEnd),
        errors: keepsErrors ? .descriptor(errors.writeEnd) : .nothing)
    }
    let written = readToEnd([output.readEnd, errors.readEnd])
    return Outcome(status: child.waitUntilExit(), output: written[0], errors: written[1])
  }
}

/// Reads from all at a time: a program that has filled one pipe waits there, and never comes to the other.
private func readToEnd(_ descriptors: [Int32]) -> [[UInt8]] {
  var written = [[UInt8]](repeating: [], count: descriptors.count)
  var open = descriptors.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
  var chunk = [UInt8](repeating: 0, count: ProcessLimits.readByteCount)
  while open.contains(where: { $0.fd >= 0 }) {
    guard poll(&open, nfds_t(open.count), -1) >= 0 || errno == EINTR else { break }
    for index in open.indices where open[index].revents != 0 {
      let count = read(open[index].fd, &chunk, chunk.count)
      if count > 0 { written[index] += chunk[..<count] }
      // One below zero is passed over.
      if count == 0 || (count < 0 && errno != EINTR) { open[index].fd = -1 }
    }
  }
  return written
}
