/// Which letter a letter is, whatever its case and its marks: `É` and `e` are one, and so are `Ö` and `o`, `ガ` and `か`.
///
/// Each table has, at the place of a letter in its range, the letter that it counts as; `·` where it says nothing. Made
/// from Unicode's own decompositions (NFKD, without marks, in lower case), and for letters that have none, as `ø`, by what
/// people type who do not have them.
enum LetterTable {
  static func letter(_ value: UInt32) -> Unicode.Scalar? {
    switch value {
    case 0xC0...0x24F: entry(latin, value - 0xC0)
    case 0x370...0x3FF: entry(greek, value - 0x370)
    case 0x1E00...0x1EFF: entry(latinAdditional, value - 0x1E00)
    case 0x1F00...0x1FFF: entry(greekExtended, value - 0x1F00)
    case 0x0450, 0x0451, 0x0400, 0x0401: "е"
    case 0x0622, 0x0623, 0x0625: "\u{627}"
    case 0x0624: "\u{648}"
    case 0x0626: "\u{64A}"
    default: nil
    }
  }

  /// The syllable that one of Japanese counts as: in Hiragana, without the marks of voice.
  static func syllable(_ value: UInt32) -> Unicode.Scalar? {
    switch value {
    case 0x3041...0x3096: entry(hiragana, value - 0x3041)
    case 0x30A1...0x30F6: entry(hiragana, value - 0x30A1)
    case 0xFF66...0xFF9D: entry(halfwidth, value - 0xFF66)
    default: nil
    }
  }

  private static func entry(_ table: [Unicode.Scalar], _ place: UInt32) -> Unicode.Scalar? {
    let letter = table[Int(place)]
    return letter == "·" ? nil : letter
  }

  private static func scalars(_ text: String) -> [Unicode.Scalar] { Array(text.unicodeScalars) }

  /// U+00C0 to U+024F.
  private static let latin = scalars(
    """
    aaaaaaæceeeeiiiidnooooo·ouuuuyþßaaaaaaæceeeeiiiidnooooo·ouuuuyþyaaaaaaccccccccddddeeeeeeeeeegggggggg\
    hhhhiiiiiiiiiiĳĳjjkkĸllllllŀŀllnnnnnnŉŋŋooooooœœrrrrrrssssssssttttttuuuuuuuuuuuuwwyyyzzzzzzsƀɓƃƃƅƅɔƈ\
    ƈɖɗƌƌƍǝəɛffɠɣƕɩɨƙƙƚƛɯɲƞɵooƣƣƥƥʀƨƨʃƪƫƭƭʈuuʊʋƴƴƶƶʒƹƹƺƻƽƽƾƿǀǁǂǃǆǆǆǉǉǉǌǌǌaaiioouuuuuuuuuuǝaaaaææǥǥggkkoo\
    ooʒʒjǳǳǳggƕƿnnaaææooaaaaeeeeiiiioooorrrruuuussttȝȝhhƞȡȣȣȥȥaaeeooooooooyyȴȵȶȷȸȹⱥȼȼƚⱦȿɀɂɂƀʉʌɇɇɉɉɋɋɍɍɏɏ
    """)

  /// U+1E00 to U+1EFF.
  private static let latinAdditional = scalars(
    """
    aabbbbbbccddddddddddeeeeeeeeeeffgghhhhhhhhhhiiiikkkkkkllllllllmmmmmmnnnnnnnnoooooooopppprrrrrrrrssss\
    ssssssttttttttuuuuuuuuuuvvvvwwwwwwwwwwxxxxyyzzzzzzhtwyẚsẜẝßẟaaaaaaaaaaaaaaaaaaaaaaaaeeeeeeeeeeeeeeee\
    iiiioooooooooooooooooooooooouuuuuuuuuuuuuuyyyyyyyyỻỻỽỽỿỿ
    """)

  /// U+0370 to U+03FF.
  private static let greek = scalars(
    """
    ͱͱͳͳʹ·ͷͷ···ͻͼͽ·ϳ······α·εηι·ο·υωιαβγδεζηθικλμνξοπρ·στυφχψωιυαεηιυαβγδεζηθικλμνξοπρσστυφχψωιυουωϗβθυυ\
    υφπϗϙϙϛϛϝϝϟϟϡϡϣϣϥϥϧϧϩϩϫϫϭϭϯϯκρσϳθε·ϸϸσϻϻϼͻͼͽ
    """)

  /// U+1F00 to U+1FFF.
  private static let greekExtended = scalars(
    """
    ααααααααααααααααεεεεεε··εεεεεε··ηηηηηηηηηηηηηηηηιιιιιιιιιιιιιιιιοοοοοο··οοοοοο··υυυυυυυυ·υ·υ·υ·υωωωω\
    ωωωωωωωωωωωωααεεηηιιοουυωω··ααααααααααααααααηηηηηηηηηηηηηηηηωωωωωωωωωωωωωωωωααααα·ααααααα·ι···ηηη·ηη\
    εεηηη···ιιιι··ιιιιιι····υυυυρρυυυυυυρ·····ωωω·ωωοοωωω···
    """)

  /// U+3041 to U+3096; Katakana, U+30A1 to U+30F6, is the same.
  private static let hiragana = scalars(
    """
    ぁあぃいぅうぇえぉおかかききくくけけここささししすすせせそそたたちちっつつててととなにぬねのはははひひひふふふへへへほほほまみむめもゃやゅゆょよらりるれろゎわゐゑをんうゕゖ
    """)

  /// U+FF66 to U+FF9D, Katakana of half the width.
  private static let halfwidth = scalars(
    """
    をぁぃぅぇぉゃゅょっーあいうえおかきくけこさしすせそたちつてとなにぬねのはひふへほまみむめもやゆよらりるれろわん
    """)
}
