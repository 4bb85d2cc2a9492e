#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// Where one of the three standard streams of a program goes to or comes from.
package enum ChildStream: Sendable {
  /// `/dev/null`.
  case nothing
  /// That of this process.
  case inherited
  /// A file that it is appended to; made if it is not there.
  case file(String)
  /// One that this process has open, and closes itself.
  case descriptor(Int32)

  func connect(_ descriptor: Int32, in actions: inout posix_spawn_file_actions_t) {
    switch self {
    case .nothing:
      posix_spawn_file_actions_addopen(&actions, descriptor, "/dev/null", descriptor == 0 ? O_RDONLY : O_WRONLY, 0)
    case .inherited: break
    case .file(let path):
      let flags = descriptor == 0 ? O_RDONLY : O_WRONLY | O_CREAT | O_APPEND
      posix_spawn_file_actions_addopen(&actions, descriptor, path, flags, 0o600)
    case .descriptor(let other): posix_spawn_file_actions_adddup2(&actions, other, descriptor)
    }
  }
}
