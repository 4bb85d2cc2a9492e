import Glibc
import SystemPackage

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
      if facts.type == .regular { found.append((path, Int(facts.size))) }
    }
    return found
  }

  private static func remove(_ path: String) {
    visit(path) { path, _ in _ = Glibc.remove(path) }
    _ = Glibc.remove(path)
  }

  /// Everything under `path`, contents before their folder.
  private static func visit(_ path: String, _ body: (String, Stat) -> Void) {
    for name in Files.names(in: path) {
      let child = "\(path)/\(name)"
      guard let facts = try? Stat(FilePath(child), followTargetSymlink: false) else { continue }
      if facts.type == .directory { visit(child, body) }
      body(child, facts)
    }
  }
}
