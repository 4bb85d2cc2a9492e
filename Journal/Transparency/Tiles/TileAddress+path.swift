/// `tile/0/x001/x234/067.p/8`: level, index in groups of three digits, and the width if it is not full.
extension TileAddress: LosslessStringConvertible {
  public var path: String {
    let level =
      switch row {
      case .hashes(let level): String(level)
      case .entries: "entries"
      }
    return "tile/\(level)/\(Self.groups(index))\(isPartial ? ".p/\(width)" : "")"
  }

  public var description: String { path }

  public init?(_ description: String) { self.init(path: description) }

  /// - Parameter path: as `path` writes it, and nothing else: no empty, needless, signed or padded part.
  public init?(path: String) {
    guard path.utf8.count <= Self.textByteCountMaximum else { return nil }
    var parts = path.split(separator: "/", omittingEmptySubsequences: false)[...]
    guard parts.popFirst() == "tile", let level = parts.popFirst(), let row = Self.row(level) else { return nil }
    var width = Self.widthMaximum
    if parts.count > 1, let last = parts.last, parts[parts.endIndex - 2].hasSuffix(".p") {
      guard let count = Int(last), count < Self.widthMaximum else { return nil }
      width = count
      parts.removeLast()
      parts[parts.endIndex - 1].removeLast(2)
    }
    guard let index = Self.index(parts) else { return nil }
    self.init(row, index: index, width: width)
    // One tile, one name.
    guard self.path == path else { return nil }
  }

  private static func row(_ text: Substring) -> Row? {
    text == "entries" ? .entries : Int(text).map { .hashes(level: $0) }
  }

  private static func groups(_ index: UInt64) -> String {
    var rest = index
    var groups = [digits(rest % 1000)]
    while rest >= 1000 {
      rest /= 1000
      groups.append("x" + digits(rest % 1000))
    }
    return groups.reversed().joined(separator: "/")
  }

  private static func digits(_ value: UInt64) -> String {
    let text = String(value)
    return String(repeating: "0", count: 3 - text.count) + text
  }

  private static func index(_ groups: ArraySlice<Substring>) -> UInt64? {
    var index: UInt64 = 0
    for (place, group) in zip(groups.indices, groups) {
      let isLast = place == groups.endIndex - 1
      let digits = isLast ? group : group.dropFirst()
      guard isLast || group.first == "x", digits.utf8.count == 3, let value = UInt64(digits) else { return nil }
      let (product, overflows) = index.multipliedReportingOverflow(by: 1000)
      guard !overflows, product <= .max - value else { return nil }
      index = product + value
    }
    return groups.isEmpty ? nil : index
  }
}
