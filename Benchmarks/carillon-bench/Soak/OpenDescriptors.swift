import Glibc

/// The descriptors that a process has open, by what they are.
struct OpenDescriptors: Sendable, Equatable {
  /// How many lead to each thing; all sockets are one thing, all files of a folder another.
  let byKind: [String: Int]
  var count: Int { byKind.values.reduce(0, +) }
  /// Of them files: segments, a snapshot, what sleeps; they are not the clients'.
  var files: Int { byKind.reduce(0) { $0 + ($1.key.hasPrefix(Self.file) ? $1.value : 0) } }
  private static let file = "file of "

  /// Empty if there is no such process.
  init(of pid: pid_t) {
    let folder = "/proc/\(pid)/fd"
    var byKind: [String: Int] = [:]
    for name in Files.names(in: folder) { byKind[Self.kind(of: "\(folder)/\(name)"), default: 0] += 1 }
    self.byKind = byKind
  }

  /// What this has more than `base`, such as `socket +2`.
  func excess(over base: OpenDescriptors) -> String {
    byKind.sorted { $0.key < $1.key }.compactMap { kind, count in
      let more = count - base.byKind[kind, default: 0]
      return more > 0 ? "\(kind) +\(more)" : nil
    }.joined(separator: ", ")
  }

  /// `socket:[4711]` is a socket; of a path the folder counts.
  private static func kind(of link: String) -> String {
    var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
    let length = readlink(link, &buffer, buffer.count)
    guard length > 0 else { return "?" }
    let target = String(decoding: buffer[..<length].map { UInt8(bitPattern: $0) }, as: UTF8.self)
    if target.hasPrefix("/") { return file + (target.split(separator: "/").dropLast().last.map(String.init) ?? "/") }
    return target.hasPrefix("anon_inode:") ? target : String(target.prefix { $0 != ":" })
  }
}
