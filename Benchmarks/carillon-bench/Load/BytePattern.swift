/// Finds a text in bytes, skipping as far as its length allows (Horspool).
struct BytePattern: Sendable {
  private let needle: [UInt8]
  private let skip: [Int]

  var count: Int { needle.count }

  init(_ text: String) {
    needle = Array(text.utf8)
    var skip = [Int](repeating: needle.count, count: 256)
    for (index, byte) in needle.dropLast().enumerated() { skip[Int(byte)] = needle.count - 1 - index }
    self.skip = skip
  }

  /// Where the text begins at or after `offset`.
  func firstIndex(in bytes: UnsafeRawBufferPointer, from offset: Int = 0) -> Int? {
    let last = needle.count - 1
    return needle.withUnsafeBufferPointer { needle in
      skip.withUnsafeBufferPointer { skip in
        var start = offset
        while start + last < bytes.count {
          let byte = bytes[start + last]
          if byte == needle[last] {
            var index = 0
            while index < last, bytes[start + index] == needle[index] { index += 1 }
            if index == last { return start }
          }
          start += skip[Int(byte)]
        }
        return nil
      }
    }
  }
}
