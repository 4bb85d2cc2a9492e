/// The block before each file of a stream. Spec: POSIX.1-1988, ustar; sizes from 8 GiB on as GNU tar writes them.
struct TarHeader: Equatable {
  static let byteCount = 512
  /// Octal digits of a size.
  private static let sizeDigitCount = 11

  let name: String
  let byteCount: Int

  /// Zeros behind the content.
  var paddingByteCount: Int { (Self.byteCount - byteCount % Self.byteCount) % Self.byteCount }

  /// Nil if the name has no room in it.
  func encoded() -> [UInt8]? {
    guard let (prefix, rest) = split() else { return nil }
    var block = [UInt8](repeating: 0, count: Self.byteCount)
    func put(_ text: String, at offset: Int) {
      block.replaceSubrange(offset..<(offset + text.utf8.count), with: text.utf8)
    }
    put(rest, at: 0)
    put("0000600", at: 100)
    put("0000000", at: 108)
    put("0000000", at: 116)
    if byteCount < 1 << (3 * Self.sizeDigitCount) {
      put(Self.octal(byteCount, digits: Self.sizeDigitCount), at: 124)
    } else {
      block[124] = 0x80
      withUnsafeBytes(of: UInt64(byteCount).bigEndian) { block.replaceSubrange(128..<136, with: $0) }
    }
    put(Self.octal(0, digits: Self.sizeDigitCount), at: 136)
    block[156] = UInt8(ascii: "0")
    put("ustar", at: 257)
    put("00", at: 263)
    put(prefix, at: 345)
    put(Self.octal(Self.checksum(block), digits: 6), at: 148)
    block[154] = 0
    block[155] = UInt8(ascii: " ")
    return block
  }

  /// What stands before the name where that has no room, and the rest.
  private func split() -> (prefix: String, rest: String)? {
    if name.utf8.count <= 100 { return ("", name) }
    for place in name.indices.reversed() where name[place] == "/" {
      let (prefix, rest) = (name[..<place], name[name.index(after: place)...])
      if prefix.utf8.count <= 155, rest.utf8.count <= 100, !rest.isEmpty { return (String(prefix), String(rest)) }
    }
    return nil
  }

  /// - Returns: nil for what is no header of a plain file.
  init?(_ block: [UInt8]) {
    guard block.count == Self.byteCount, Self.number(block[148..<156]) == Self.checksum(block),
      block[156] == UInt8(ascii: "0") || block[156] == 0
    else { return nil }
    let size =
      block[124] == 0x80
      ? Int(exactly: block[128..<136].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }) : Self.number(block[124..<136])
    guard let size, size >= 0 else { return nil }
    let (prefix, rest) = (Self.text(block[345..<500]), Self.text(block[0..<100]))
    // As `tar c .` names them.
    let name = prefix.isEmpty ? rest : prefix + "/" + rest
    self.init(name: name.hasPrefix("./") ? String(name.dropFirst(2)) : name, byteCount: size)
  }

  init(name: String, byteCount: Int) {
    (self.name, self.byteCount) = (name, byteCount)
  }

  private static func octal(_ number: Int, digits: Int) -> String {
    let text = String(number, radix: 8)
    return String(repeating: "0", count: digits - text.utf8.count) + text
  }

  private static func number(_ field: ArraySlice<UInt8>) -> Int? {
    Int(text(field).filter { $0 != " " }, radix: 8)
  }

  private static func text(_ field: ArraySlice<UInt8>) -> String {
    String(decoding: field.prefix { $0 != 0 }, as: UTF8.self)
  }

  /// The sum of all bytes, with spaces in the place of the sum.
  private static func checksum(_ block: [UInt8]) -> Int {
    block.enumerated().reduce(0) { $0 + ((148..<156).contains($1.offset) ? 32 : Int($1.element)) }
  }
}
