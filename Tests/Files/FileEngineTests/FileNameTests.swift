import Testing

@testable import FileEngine

@Suite("What a file is called")
struct FileNameTests {
  @Test(
    "no folders, nothing that is not seen, nothing that turns the direction; text stays text",
    arguments: [
      ("bill.pdf", "bill.pdf"), ("\"><img onerror>.png", "\"><img onerror>.png"), (#"..\..\x"#, "x"),
      ("../../etc/passwd", "passwd"), ("/", "file"), ("..", "file"), (".", "file"), ("a/..", "file"), ("", "file"),
      ("  \t", "file"), (" a b.txt. . ", "a b.txt"), ("photo\u{202E}gpj.exe", "photogpj.exe"),
      ("\u{2066}a\u{2069}\u{200F}.png", "a.png"), ("a\u{0}b\u{7F}\r\nc\u{85}.txt", "abc.txt"),
      ("a\u{2028}b\u{2029}c", "abc"), ("\u{FEFF}a\u{200B}b\u{AD}", "ab"), ("Grüße 👩‍👩‍👧.txt", "Grüße 👩‍👩‍👧.txt"),
      ("קובץ.txt", "קובץ.txt"), ("/\u{301}a", "\u{301}a"), (".htaccess", ".htaccess"), ("%2e%2e%2fx", "%2e%2e%2fx"),
      ("javascript:alert(1)", "javascript:alert(1)"), ("=cmd.csv", "=cmd.csv"),
    ])
  func cleaned(name: String, expected: String) throws {
    let cleaned = try FileName.cleaned(name)
    #expect(Array(cleaned.unicodeScalars) == Array(expected.unicodeScalars))
    #expect(try FileName.cleaned(cleaned) == cleaned)
  }

  @Test("what is longer than file systems take is refused", arguments: [("x", 300), ("ö", 128)])
  func long(part: String, count: Int) throws {
    #expect(throws: FileFailure.invalid(field: "name", reason: "is longer than 255 bytes")) {
      try FileName.cleaned(String(repeating: part, count: count))
    }
    #expect(try FileName.cleaned(String(repeating: "x", count: 255)).utf8.count == 255)
  }
}

@Suite("What a file is")
struct FileTypeTests {
  static let png: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0, 0]
  private static let jpeg: [UInt8] = [0xFF, 0xD8, 0xFF, 0xE0]
  private static let zip = Array("PK\u{3}\u{4}rest".utf8)
  private static let page = Array("<script>alert(1)</script>".utf8)

  @Test(
    "is what it is said to be, where its first bytes do not say otherwise; nothing said is what they say",
    arguments: [
      ("image/png", png, "image/png"), ("image/x-png", png, "image/png"), ("image/jpg", jpeg, "image/jpeg"),
      ("image/gif", Array("GIF89a".utf8), "image/gif"), ("image/gif", Array("GIF87a".utf8), "image/gif"),
      ("image/webp", Array("RIFF\u{0}\u{0}\u{0}\u{0}WEBPVP8 ".utf8), "image/webp"),
      ("application/pdf", Array("%PDF-1.7".utf8), "application/pdf"),
      ("application/x-zip-compressed", zip, "application/zip"),
      ("application/vnd.oasis.opendocument.text", zip, "application/vnd.oasis.opendocument.text"),
      ("text/html", page, "text/html"), ("image/svg+xml", Array("<svg/>".utf8), "image/svg+xml"),
      ("text/plain", Array("hello".utf8), "text/plain"), (nil, png, "image/png"), (nil, page, FileType.unknown),
      (FileType.unknown, jpeg, "image/jpeg"), (FileType.unknown, page, FileType.unknown),
      (nil, [0x89], FileType.unknown),
    ] as [(String?, [UInt8], String)])
  func accepted(declared: String?, bytes: [UInt8], type: String) throws {
    #expect(try FileType.judged(declared, bytes) == type)
  }

  @Test(
    "bytes of one type are no file of another",
    arguments: [
      ("image/png", page, nil), ("image/png", jpeg, "image/jpeg"), ("image/jpg", png, "image/png"),
      ("image/gif", Array("GIF".utf8), nil), ("image/webp", Array("RIFF\u{0}\u{0}\u{0}\u{0}WAVE".utf8), nil),
      ("application/pdf", page, nil), ("text/plain", Array("\u{7F}ELF".utf8), "application/x-elf"),
      ("text/html", png, "image/png"), ("image/svg+xml", png, "image/png"), ("text/plain", zip, "application/zip"),
      ("image/png", zip, "application/zip"), ("application/zip", Array("%PDF-".utf8), "application/pdf"),
      ("application/zip", page, nil),
    ] as [(String, [UInt8], String?)])
  func mismatch(declared: String, bytes: [UInt8], found: String?) {
    #expect {
      try FileType.judged(declared, bytes)
    } throws: { error in
      guard case .mismatch(_, let other)? = error as? FileFailure else { return false }
      return other == found
    }
  }

  @Test("browsers show pictures that hold no script, and nothing else")
  func pictures() {
    for type in ["image/png", "image/jpeg", "image/gif", "image/webp"] { #expect(FileType.isPicture(type)) }
    for type in ["image/svg+xml", "text/html", "application/pdf", "image/PNG", "", FileType.unknown] {
      #expect(!FileType.isPicture(type))
    }
  }
}
