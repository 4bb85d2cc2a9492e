import Glibc

/// Programs of the system that a measurement of pushes needs beside it.
enum Programs {
  /// Where a program is; nil if it is not installed.
  static func find(_ name: String) -> String? {
    let path = getenv("PATH").map { String(cString: $0) } ?? ""
    // Where Debian has them, also for users whose path lacks it.
    let folders = path.split(separator: ":").map(String.init) + ["/usr/sbin", "/usr/bin"]
    for folder in folders {
      let candidate = "\(folder)/\(name)"
      if access(candidate, X_OK) == 0 { return candidate }
    }
    return nil
  }

  static func require(_ name: String, package: String) throws -> String {
    guard let path = find(name) else { throw BenchError("no \(name): install the package \(package)") }
    return path
  }
}

extension Programs {
  /// The folder of the highest version in `parent` that holds a program.
  static func newest(in parent: String, holding program: String, package: String) throws -> String {
    let versions = (1...99).reversed().map { "\(parent)/\($0)" }
    guard let found = versions.first(where: { access("\($0)/\(program)", X_OK) == 0 }) else {
      throw BenchError("no \(program) in \(parent): install the package \(package)")
    }
    return found
  }
}
