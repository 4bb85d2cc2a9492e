#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// A temporary directory of the demo.
struct DemoDirectory {
  let path: String
  /// Whether it outlives the demo.
  let isKept: Bool

  /// - Throws: `DemoFailure` if none can be made.
  init(isKept: Bool) throws {
    self.isKept = isKept
    let parent = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
    var template = Array("\(parent)/carillon-demo-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else { throw DemoFailure("cannot make a directory in \(parent)") }
    path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  /// A folder in it.
  /// - Returns: its path.
  func makeFolder(_ name: String) throws -> String {
    let folder = "\(path)/\(name)"
    guard mkdir(folder, 0o700) == 0 else { throw DemoFailure("cannot make \(folder)") }
    return folder
  }

  /// Gives what is in it another name there.
  func move(_ name: String, to other: String) throws {
    guard rename("\(path)/\(name)", "\(path)/\(other)") == 0 else {
      throw DemoFailure("cannot move \(path)/\(name)")
    }
  }

  /// Removes it, or says where it is.
  func clear(_ screen: DemoScreen) {
    if isKept {
      screen.note("kept: \(path)")
    } else {
      Self.removeTree(path)
    }
  }

  private static func removeTree(_ path: String) {
    if let stream = opendir(path) {
      while let entry = readdir(stream) {
        let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
          pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
        }
        if name != ".", name != ".." { removeTree("\(path)/\(name)") }
      }
      closedir(stream)
    }
    _ = remove(path)
  }
}
