/// The words of a segment in their order, each with the texts that have it.
///
/// Words stand in blocks of sixteen: the first one whole, of the others what they do not share with the one before. The
/// texts of all words stand one behind the other, as differences.
struct TermTable: Sendable {
  static let blockCount = 16

  struct Block: Sendable {
    let word: UInt32
    let texts: UInt32
  }

  fileprivate(set) var blocks: [Block] = []
  fileprivate(set) var words: [UInt8] = []
  fileprivate(set) var texts: [UInt8] = []
  fileprivate(set) var count = 0

  var storageBytes: Int { blocks.storageBytes + words.storageBytes + texts.storageBytes }

  /// Adds the next word. - Parameter numbers: of its texts, rising; not empty.
  struct Builder {
    private var table = TermTable()
    private var last: [UInt8] = []

    mutating func append(_ word: [UInt8], _ numbers: [UInt32]) {
      var shared = 0
      if table.count % TermTable.blockCount == 0 {
        table.blocks.append(Block(word: UInt32(table.words.count), texts: UInt32(table.texts.count)))
      } else {
        while shared < min(word.count, last.count), word[shared] == last[shared] { shared += 1 }
      }
      table.words.append(lengths: (shared, word.count - shared))
      table.words += word[shared...]
      let begin = table.texts.count
      var next: UInt32 = 0
      for number in numbers {
        table.texts.append(varint: number - next)
        next = number + 1
      }
      table.words.append(varint: UInt32(table.texts.count - begin))
      table.count += 1
      last = word
    }

    consuming func finish() -> TermTable {
      var table = table
      table.blocks = table.blocks.tight
      table.words = table.words.tight
      table.texts = table.texts.tight
      return table
    }
  }

  /// Goes from word to word.
  struct Cursor {
    private let table: TermTable
    private var place: Int
    private var next: Int
    /// The word where it stands.
    private(set) var word: [UInt8] = []
    /// Where the texts of that word are.
    private(set) var texts = 0..<0

    /// In front of the first word of a block.
    fileprivate init(_ table: TermTable, block: Int) {
      self.table = table
      next = block * TermTable.blockCount
      if block < table.blocks.count {
        place = Int(table.blocks[block].word)
        let begin = Int(table.blocks[block].texts)
        texts = begin..<begin
      } else {
        place = table.words.count
        next = table.count
      }
    }

    /// - Returns: false if there is no further word.
    mutating func advance() -> Bool {
      guard next < table.count else { return false }
      next += 1
      let (shared, rest) = table.words.lengths(at: &place)
      word.removeSubrange(shared...)
      word += table.words[place..<place + rest]
      place += rest
      let length = Int(table.words.varint(at: &place))
      texts = texts.upperBound..<texts.upperBound + length
      return true
    }

    /// Calls `body` with each text of the word where it stands.
    func forEachText(_ body: (UInt32) -> Void) { table.forEachText(in: texts, body) }
  }

  /// In front of the first word.
  var start: Cursor { Cursor(self, block: 0) }

  /// At the first word that is not less; nil if there is none.
  func cursor(at word: [UInt8]) -> Cursor? {
    // The last block that does not begin behind it.
    let block = max(0, blocks.partition { word.precedes(firstWord(of: $0)) } - 1)
    var cursor = Cursor(self, block: block)
    while cursor.advance() {
      if !cursor.word.precedes(word) { return cursor }
    }
    return nil
  }

  private func firstWord(of block: Block) -> [UInt8] {
    var place = Int(block.word)
    let (_, length) = words.lengths(at: &place)
    return Array(words[place..<place + length])
  }

  fileprivate func forEachText(in range: Range<Int>, _ body: (UInt32) -> Void) {
    var (place, next) = (range.lowerBound, UInt32(0))
    while place < range.upperBound {
      let number = next + texts.varint(at: &place)
      body(number)
      next = number + 1
    }
  }
}

extension [UInt8] {
  /// Two lengths, mostly in one byte: half of it each, and all bits of a half that a byte of its own follows for.
  fileprivate mutating func append(lengths: (Int, Int)) {
    append(UInt8(Swift.min(lengths.0, 15) << 4 | Swift.min(lengths.1, 15)))
    if lengths.0 >= 15 { append(UInt8(lengths.0)) }
    if lengths.1 >= 15 { append(UInt8(lengths.1)) }
  }

  fileprivate func lengths(at place: inout Int) -> (Int, Int) {
    func length(_ half: UInt8) -> Int {
      guard half == 15 else { return Int(half) }
      place += 1
      return Int(self[place - 1])
    }
    let byte = self[place]
    place += 1
    let first = length(byte >> 4)
    return (first, length(byte & 15))
  }

  /// By their bytes, a beginning before what is longer.
  func precedes(_ other: [UInt8]) -> Bool {
    let common = Swift.min(count, other.count)
    var place = 0
    while place < common, self[place] == other[place] { place += 1 }
    return place < common ? self[place] < other[place] : count < other.count
  }
}
