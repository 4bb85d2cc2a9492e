/// Those who have texts, by key and by number, and how far their texts are in the index. A few dozen bytes for each.
public struct TextOwners: Sendable {
  public struct Mark: Sendable, Equatable {
    public let number: UInt32
    /// The last of the owner's texts that was looked at, as the owner counts them.
    public let through: UInt32
  }

  /// By number; empty for one that nobody has.
  private var keys: [String] = []
  private var through: [UInt32] = []
  /// Numbers, plus one, where their keys' hashes say or behind; 0: nobody. Linear probing.
  private var table: [UInt32] = Array(repeating: 0, count: 64)
  private var unused: [UInt32] = []
  public private(set) var count = 0

  public init() {}

  /// What it has allocated, without the keys' own texts: whoever else has the keys shares them.
  public var bytes: Int { keys.storageBytes + through.storageBytes + table.storageBytes + unused.storageBytes }

  public func mark(of key: String) -> Mark? {
    let slot = slot(of: key)
    guard table[slot] > 0 else { return nil }
    let number = table[slot] - 1
    return Mark(number: number, through: through[Int(number)])
  }

  /// Nil if nobody has the number.
  public func key(of number: UInt32) -> String? {
    guard number < keys.count, !keys[Int(number)].isEmpty else { return nil }
    return keys[Int(number)]
  }

  /// Notes how far an owner's texts are in the index. - Parameter key: not empty. - Returns: the owner's number.
  @discardableResult
  public mutating func note(_ key: String, through last: UInt32) -> UInt32 {
    if let mark = mark(of: key) {
      through[Int(mark.number)] = last
      return mark.number
    }
    if (count + 1) * 4 > table.count * 3 { grow() }
    let number = freshNumber()
    keys[Int(number)] = key
    through[Int(number)] = last
    table[slot(of: key)] = number + 1
    count += 1
    return number
  }

  /// Forgets an owner. The number is not given out before it is `free`d.
  /// - Returns: it; nil if there is no such owner.
  @discardableResult
  public mutating func remove(_ key: String) -> UInt32? {
    var hole = slot(of: key)
    guard table[hole] > 0 else { return nil }
    let number = table[hole] - 1
    table[hole] = 0
    count -= 1
    // What stood behind it because there was no room in front of it moves up.
    let mask = table.count - 1
    var next = (hole + 1) & mask
    while table[next] > 0 {
      let home = home(of: keys[Int(table[next] - 1)])
      if (next - home) & mask >= (next - hole) & mask {
        table.swapAt(hole, next)
        hole = next
      }
      next = (next + 1) & mask
    }
    keys[Int(number)] = ""
    return number
  }

  /// Nothing in the index has the number any more.
  public mutating func free(_ number: UInt32) {
    precondition(keys[Int(number)].isEmpty, "the number of somebody who is there is not free")
    unused.append(number)
  }

  // MARK: The table

  private mutating func freshNumber() -> UInt32 {
    if let number = unused.popLast() { return number }
    if keys.count == keys.capacity {
      // Less than the doubling that arrays do by themselves.
      keys.reserveCapacity(keys.count + keys.count / 4 + 16)
      through.reserveCapacity(keys.capacity)
    }
    keys.append("")
    through.append(0)
    return UInt32(keys.count - 1)
  }

  private mutating func grow() {
    let numbers = table.filter { $0 > 0 }
    table = Array(repeating: 0, count: table.count * 2)
    for number in numbers { table[slot(of: keys[Int(number - 1)])] = number }
  }

  private func home(of key: String) -> Int { key.hashValue & (table.count - 1) }

  /// Where the key stands, or would.
  private func slot(of key: String) -> Int {
    var slot = home(of: key)
    while table[slot] > 0, keys[Int(table[slot] - 1)] != key { slot = (slot + 1) & (table.count - 1) }
    return slot
  }
}
