internal import SystemPackage

/// The names in a journal's directory (`FORMAT.md`, "Files").
struct JournalDirectory: Sendable {
  let path: FilePath
  let storage: any JournalStorage

  var lockFile: FilePath { path.appending("LOCK") }
  var preallocating: FilePath { path.appending("next.preallocating") }

  func segment(_ number: UInt64) -> FilePath {
    let digits = String(number)
    let zeros = String(repeating: "0", count: max(0, Limits.segmentNumberDigits - digits.count))
    return path.appending("\(zeros)\(digits).segment")
  }

  /// A name for bytes cut off a segment that no earlier cut has taken.
  func unusedCut(_ number: UInt64, offset: Int) throws(StorageError) -> FilePath {
    let names = Set(try storage.list(path))
    let stem = "\(segment(number).lastComponent?.string ?? "segment").\(offset)"
    var name = "\(stem).cut"
    var count = 1
    while names.contains(name) {
      count += 1
      name = "\(stem)-\(count).cut"
    }
    return path.appending(name)
  }

  /// Numbers of the segments that are there, in order.
  func segmentNumbers() throws(StorageError) -> [UInt64] {
    let suffix = ".segment"
    return try storage.list(path).compactMap { name -> UInt64? in
      guard name.hasSuffix(suffix) else { return nil }
      let digits = name.dropLast(suffix.count)
      guard digits.count >= Limits.segmentNumberDigits, digits.utf8.allSatisfy({ (48...57).contains($0) }) else {
        return nil
      }
      return UInt64(digits)
    }.sorted()
  }
}
