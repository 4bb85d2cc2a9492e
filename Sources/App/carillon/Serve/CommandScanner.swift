import Engine
import Journal
import NIOPosix
import ProcessControl
import Synchronization
import SystemPackage

/// Has files looked at by a program of the operator's, without a shell.
///
/// A file lies in a directory of its own, which only this user reads, for as long as the program runs. The program gets
/// nothing of the server's environment: secrets may stand there.
final class CommandScanner: FileScanner {
  private static let environment = [
    "PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "LANG": "C.UTF-8",
  ]

  private let directory: FilePath
  private let count = Atomic<Int>(0)

  /// What a kill has left in the directory goes: nobody else uses it.
  /// - Parameter directory: made when there is something to look at.
  init(directory: FilePath) {
    self.directory = directory
    let disk = DiskStorage()
    for name in (try? disk.list(directory)) ?? [] { try? disk.remove(directory.appending(name)) }
  }

  func verdict(on bytes: [UInt8], by command: [String], within limit: Duration) async -> ScanVerdict {
    guard let program = command.first else { return .undecided("there is no command") }
    // Not in the task of whoever sends the file: they may leave, and all that was begun here is to be ended all the same.
    return await Task { await verdict(on: bytes, by: program, command.dropFirst(), within: limit) }.value
  }

  private func verdict(
    on bytes: [UInt8], by program: String, _ arguments: ArraySlice<String>, within limit: Duration
  ) async -> ScanVerdict {
    let file = directory.appending("\(count.add(1, ordering: .relaxed).newValue)")
    let verdict: ScanVerdict
    do {
      // Neither writing nor starting a program is for the threads that everything else runs on.
      let child = try await NIOThreadPool.singleton.runIfActive { [directory] in
        try Self.write(bytes, to: file, in: directory)
        return try ChildProcess(
          program, arguments + [file.string], environment: Self.environment, input: .file(file.string),
          output: .nothing, errors: .nothing, leadsGroup: true)
      }
      verdict = ScanVerdict(status: try await child.wait(atMost: limit))
    } catch {
      verdict = .undecided("\(error)")
    }
    try? await NIOThreadPool.singleton.runIfActive { try DiskStorage().remove(file) }
    return verdict
  }

  private static func write(_ bytes: [UInt8], to path: FilePath, in directory: FilePath) throws {
    try DiskStorage().createDirectory(directory)
    let file = try FileDescriptor.open(
      path, .writeOnly, options: [.create, .truncate], permissions: .ownerReadWrite)
    try file.closeAfter { _ = try file.writeAll(bytes) }
  }
}

extension ScanVerdict {
  /// - Parameter status: as a process ends; nil: it had to be killed.
  fileprivate init(status: Int32?) {
    switch status {
    case 0: self = .clean
    case 1: self = .refused
    case nil: self = .undecided("the scan did not end in time")
    case let code?:
      self = .undecided(code < 0 ? "the scan was ended by signal \(-code)" : "the scan ended with status \(code)")
    }
  }
}
