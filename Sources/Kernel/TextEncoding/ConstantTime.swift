/// Comparisons whose duration tells nothing about where two secrets differ.
public enum ConstantTime {
  /// Compares the texts' hashes, so that not even the length shows.
  public static func equal(_ left: String, _ right: String) -> Bool {
    equal(SHA256Bytes.of(left), SHA256Bytes.of(right))
  }

  public static func equal(_ left: [UInt8], _ right: [UInt8]) -> Bool {
    guard left.count == right.count else { return false }
    var difference: UInt8 = 0
    for (first, second) in zip(left, right) { difference |= first ^ second }
    return difference == 0
  }
}
