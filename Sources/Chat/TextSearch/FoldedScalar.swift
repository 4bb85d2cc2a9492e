/// What a character counts as when words are compared: case, marks and width do not matter.
enum FoldedScalar: Equatable {
  /// Ends a word.
  case separator
  /// Changes nothing: an accent, a vowel point.
  case mark
  case letter(Unicode.Scalar)
  case letters(Unicode.Scalar, Unicode.Scalar)
  /// Of a script that leaves no room between words.
  case ideograph(Unicode.Scalar)

  init(_ scalar: Unicode.Scalar) {
    switch scalar.value {
    case 0x61...0x7A, 0x30...0x39: self = .letter(scalar)
    case 0x41...0x5A: self = .letter(Self.scalar(scalar.value + 0x20))
    case 0..<0x80: self = .separator
    default: self.init(beyondASCII: scalar)
    }
  }

  private init(beyondASCII scalar: Unicode.Scalar) {
    let value = scalar.value
    switch value {
    case 0xFF01...0xFF5E: self.init(Self.scalar(value - 0xFEE0))
    case 0x0300...0x036F, 0x0591...0x05BD, 0x05BF, 0x05C1, 0x05C2, 0x05C4, 0x05C5, 0x05C7, 0x0640, 0x064B...0x065F,
      0x0670, 0x1AB0...0x1AFF, 0x1DC0...0x1DFF, 0x20D0...0x20FF, 0xFE00...0xFE0F, 0xFE20...0xFE2F, 0x200B...0x200F,
      0x2060, 0xFEFF, 0x00AD, 0x3099...0x309C, 0xFF9E, 0xFF9F:
      self = .mark
    case 0x3041...0x3096, 0x30A1...0x30F6, 0xFF66...0xFF9D:
      self = .ideograph(LetterTable.syllable(value) ?? scalar)
    case 0x3005...0x3007, 0x30FC...0x30FE, 0x309D, 0x309E, 0x3105...0x312F, 0x3400...0x4DBF, 0x4E00...0x9FFF,
      0xAC00...0xD7A3, 0xF900...0xFAFF, 0x20000...0x3FFFD:
      self = .ideograph(scalar)
    default: self.init(spelled: scalar)
    }
  }

  /// Of a script whose words stand apart.
  private init(spelled scalar: Unicode.Scalar) {
    if let letter = LetterTable.letter(scalar.value) {
      self = Self.spelledOut(letter)
      return
    }
    let properties = scalar.properties
    switch properties.generalCategory {
    case .decimalNumber: self = Self.digit(of: properties).map { .letter($0) } ?? .letter(scalar)
    case .uppercaseLetter, .titlecaseLetter:
      self = .letter(properties.lowercaseMapping.unicodeScalars.first ?? scalar)
    case .lowercaseLetter, .modifierLetter, .otherLetter, .letterNumber, .otherNumber, .nonspacingMark, .spacingMark:
      self = .letter(scalar)
    default: self = .separator
    }
  }

  private static func digit(of properties: Unicode.Scalar.Properties) -> Unicode.Scalar? {
    guard let value = properties.numericValue, value >= 0, value <= 9 else { return nil }
    return scalar(0x30 + UInt32(value))
  }

  /// Letters that are written as two where they are not to be had.
  private static func spelledOut(_ letter: Unicode.Scalar) -> FoldedScalar {
    switch letter {
    case "ß", "ẞ": .letters("s", "s")
    case "æ": .letters("a", "e")
    case "œ": .letters("o", "e")
    case "ĳ": .letters("i", "j")
    case "ǆ", "ǳ": .letters("d", "z")
    case "ǉ": .letters("l", "j")
    case "ǌ": .letters("n", "j")
    case "þ": .letters("t", "h")
    default: .letter(letter)
    }
  }

  private static func scalar(_ value: UInt32) -> Unicode.Scalar { Unicode.Scalar(value) ?? "\u{FFFD}" }
}
