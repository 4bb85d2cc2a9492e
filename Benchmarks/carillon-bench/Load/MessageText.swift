/// Texts like those that people write, the same in every run.
enum MessageText {
  /// Bytes of a text: with its envelope, an event of some 200 bytes.
  static let length = 150
  /// `#` and nine digits, which carry the number of the message.
  static let prefixLength = 10

  static let words = """
    hello hi good morning thank thanks you your yours for the a an this that these order orders number numbers is are \
    was were still waiting waits in on at our warehouse shop store could would should please check checked address \
    street again we I he she they have has had found lost parcel package box and or but it will arrive arrives arrived \
    Monday Tuesday Thursday Friday before after noon evening invoice bill payment paid sent yesterday today tomorrow \
    by mail phone can cannot help helps with without anything something nothing else just one two three moment minute \
    looking into right now later soon sorry wrong correct colour size blue green larger smaller return returned refund \
    exchange replacement delivery driver neighbour door label code tracking link page account password login error \
    screen button broken damaged missing part screw manual guarantee receipt price discount voucher euro cents total \
    customer service colleague manager ticket case closed open answer question problem solved perfect great fine okay \
    really very much more less between under over from to of as if when where why how what who not only also always
    """.split(separator: " ").map(String.init)

  /// Words, and now and then a number as orders have, up to the full length without the prefix.
  static func make(_ random: inout SplitMix64) -> String {
    var text = ""
    while text.utf8.count < length - prefixLength {
      let bits = random.next()
      text += bits % 12 == 0 ? " \((bits >> 40) % 1_000_000)" : " " + words[Int((bits >> 8) % UInt64(words.count))]
    }
    return String(decoding: Array(text.utf8.prefix(length - prefixLength)), as: UTF8.self)
  }

  /// A customer's text, whose number is still 0.
  static func first(of customer: Int) -> String {
    var random = SplitMix64(seed: UInt64(customer))
    return String(decoding: prefix(0), as: UTF8.self) + make(&random)
  }

  static func prefix(_ sequence: Int) -> [UInt8] {
    var bytes = [UInt8](repeating: 48, count: prefixLength)
    bytes[0] = UInt8(ascii: "#")
    var rest = sequence
    var index = prefixLength - 1
    while rest > 0, index > 0 {
      bytes[index] = 48 + UInt8(rest % 10)
      rest /= 10
      index -= 1
    }
    return bytes
  }
}

/// A small seeded generator: runs are to be repeatable.
struct SplitMix64: RandomNumberGenerator {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }
}
