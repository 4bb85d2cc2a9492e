import Glibc

/// A directory for one measurement, removed with everything in it at the end.
final class WorkDirectory: Sendable {
  let path: String

  /// On a real disk: `/var/tmp`, or what `CARILLON_BENCH_DIRECTORY` says.
  init() throws {
    let parent = getenv("CARILLON_BENCH_DIRECTORY").map { String(cString: $0) } ?? "/var/tmp"
    var template = Array("\(parent)/carillon-bench-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else { throw BenchError("cannot make a directory in \(parent)") }
    path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    guard mkdir(path + "/data", 0o700) == 0 else { throw BenchError("cannot make \(path)/data") }
  }

  deinit { Self.remove(path) }

  /// The regular files anywhere in a folder of it, with their sizes.
  func files(in folder: String) -> [(path: String, bytes: Int)] {
    var found: [(path: String, bytes: Int)] = []
    Self.visit("\(path)/\(folder)") { path, facts in
      if facts.st_mode & S_IFMT == S_IFREG { found.append((path, Int(facts.st_size))) }
    }
    return found
  }

  private static func remove(_ path: String) {
    visit(path) { path, _ in _ = Glibc.remove(path) }
    _ = Glibc.remove(path)
  }

  /// Everything under `path`, contents before their folder.
  private static func visit(_ path: String, _ body: (String, stat) -> Void) {
    guard let stream = opendir(path) else { return }
    defer { closedir(stream) }
    while let entry = readdir(stream) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
        pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      guard name != ".", name != ".." else { continue }
      let child = "\(path)/\(name)"
      var facts = stat()
      guard lstat(child, &facts) == 0 else { continue }
      if facts.st_mode & S_IFMT == S_IFDIR { visit(child, body) }
      body(child, facts)
    }
  }
}
