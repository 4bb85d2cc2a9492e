import Glibc
import SystemPackage

/// What the figures were measured on.
enum Machine {
  static var description: String {
    let processors = sysconf(Int32(_SC_NPROCESSORS_ONLN))
    let model = Files.text("/proc/cpuinfo").flatMap { info in
      info.split(separator: "\n").first { $0.hasPrefix("model name") }?.split(separator: ":").last.map(String.init)
    }
    let memory = Files.text("/proc/meminfo").flatMap { info in
      info.split(separator: "\n").first?.split(separator: " ").dropFirst().first.flatMap { Int($0) }
    }
    let processor = model.map(trimmed) ?? "unknown processor"
    return "\(processors) × \(processor), \((memory ?? 0) / 1_048_576) GiB, Linux \(kernel)"
  }

  /// The kernel's release.
  static var kernel: String { Files.text("/proc/sys/kernel/osrelease").map(trimmed) ?? "unknown kernel" }

  /// Today, in UTC.
  static var date: String {
    var (now, parts) = (time(nil), tm())
    gmtime_r(&now, &parts)
    func two(_ number: Int32) -> String { number < 10 ? "0\(number)" : "\(number)" }
    return "\(parts.tm_year + 1_900)-\(two(parts.tm_mon + 1))-\(two(parts.tm_mday))"
  }

  /// The commit that the working directory is at; "unknown" outside of a repository.
  static var commit: String {
    // A working tree beside its repository has a file there that says where its own part is.
    let pointer = "gitdir: "
    let own =
      Files.text(".git").map(trimmed).flatMap { $0.hasPrefix(pointer) ? String($0.dropFirst(pointer.count)) : nil }
      ?? ".git"
    let common = Files.text(own + "/commondir").map { own + "/" + trimmed($0) } ?? own
    guard let head = Files.text(own + "/HEAD").map(trimmed) else { return "unknown" }
    guard head.hasPrefix("ref: ") else { return head }
    let reference = String(head.dropFirst(5))
    if let commit = Files.text(common + "/" + reference) { return trimmed(commit) }
    let packed = Files.text(common + "/packed-refs")?.split(separator: "\n").first { $0.hasSuffix(" " + reference) }
    return packed.map { String($0.prefix(40)) } ?? "unknown"
  }

  private static func trimmed(_ text: some StringProtocol) -> String {
    var text = Substring(text)
    while let last = text.last, last.isWhitespace { text.removeLast() }
    while let first = text.first, first.isWhitespace { text.removeFirst() }
    return String(text)
  }
}

/// Small files, read whole.
enum Files {
  static func bytes(_ path: String, maximum: Int = 1_048_576) -> [UInt8]? {
    guard let file = try? FileDescriptor.open(FilePath(path), .readOnly) else { return nil }
    defer { try? file.close() }
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 65_536)
    // Files under /proc have no size that could be asked for.
    while bytes.count < maximum, let count = try? chunk.withUnsafeMutableBytes({ try file.read(into: $0) }), count > 0 {
      bytes += chunk[..<count]
    }
    return bytes
  }

  static func text(_ path: String) -> String? { bytes(path).map { String(decoding: $0, as: UTF8.self) } }

  /// What a folder holds; nothing if it cannot be read.
  static func names(in folder: String) -> [String] {
    guard let stream = opendir(folder) else { return [] }
    defer { closedir(stream) }
    var names: [String] = []
    while let entry = readdir(stream) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
        pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      if name != ".", name != ".." { names.append(name) }
    }
    return names
  }

  /// Makes a folder unless there is one.
  static func makeFolder(_ path: String) throws {
    guard mkdir(path, 0o755) == 0 || errno == EEXIST else { throw BenchError("cannot make \(path)") }
  }

  /// Makes sure that files can be written, in a folder that is made if need be: whoever fails at the end because of a path
  /// has measured for nothing.
  static func prepare(_ paths: [String]) throws {
    for path in paths {
      let folder = FilePath(path).removingLastComponent().string
      if !folder.isEmpty { try makeFolder(folder) }
      guard access(folder.isEmpty ? "." : folder, W_OK) == 0 else { throw BenchError("\(path) cannot be written") }
    }
  }

  static func write(_ text: String, to path: String) throws {
    let file = try FileDescriptor.open(
      FilePath(path), .writeOnly, options: [.create, .truncate], permissions: .ownerReadWrite)
    try file.closeAfter { _ = try file.writeAll(text.utf8) }
  }
}
