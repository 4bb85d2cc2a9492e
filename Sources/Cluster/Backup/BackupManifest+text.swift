import Journal
import JournalFormat
import StandbyWire

/// ```
///   carillon-backup 1
///   version 0.1.0
///   made 1795872000123                            milliseconds since 1970
///   instance 1 9be0…                              number and id of the oldest segment
///   epoch 3 3                                     its own, the highest it was told of
///   end 4711 12 7c0a… 5d1f…                       position, number and id of the segment, chain hash
///   files 2
///   3b7e… 67108864 1-67108864-1.0 journal/000000000012.segment       SHA-256, bytes, version, path
///   …
///   sha256 a81c…                                  of all lines before
/// ```
extension BackupManifest {
  public static let fileName = "MANIFEST"
  static let format: UInt64 = 1

  /// As it stands in a backup.
  public var text: String {
    var lines = [
      "carillon-backup \(Self.format)", "version \(madeBy)", "made \(madeAt)", "instance \(instance)",
      "epoch \(ownEpoch) \(toldEpoch)",
      "end \(end.position) \(SegmentName(number: end.segmentNumber, id: end.segmentID)) \(end.chainHash)",
      "files \(files.count)",
    ]
    lines += files.map { "\($0.hash) \($0.byteCount) \($0.version) \($0.place.text)" }
    let body = lines.map { $0 + "\n" }.joined()
    return body + "sha256 \(Hash256(digestOf: Array(body.utf8)))\n"
  }

  /// - Throws: `newerFormat`; `cut` for all else that is not a whole manifest.
  public init(parsing bytes: [UInt8]) throws(BackupError) {
    let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false)
    var reader = LineReader(lines: lines[...])
    let format: UInt64 = try reader.number("carillon-backup")
    guard format <= Self.format else { throw .newerFormat(format) }
    // Whatever was changed shows here, and the last lines are the first to be missing.
    guard format == Self.format, lines.count > 2, lines.last == "", let seal = Self.words(lines[lines.count - 2]),
      seal.count == 2, seal[0] == "sha256",
      let hash = Hash256(hexadecimal: seal[1]),
      hash == Hash256(digestOf: Array(bytes.dropLast(lines[lines.count - 2].utf8.count + 1)))
    else { throw .cut("its manifest is not whole") }
    madeBy = String(try reader.words("version", count: 1)[0])
    madeAt = try reader.number("made")
    instance = try reader.segment(try reader.words("instance", count: 2))
    let epochs = try reader.words("epoch", count: 2).compactMap { UInt32($0) }
    guard epochs.count == 2, epochs[0] > 0, epochs[1] >= epochs[0] else { throw reader.flaw }
    (ownEpoch, toldEpoch) = (epochs[0], epochs[1])
    let words = try reader.words("end", count: 4)
    let segment = try reader.segment(Array(words[1...2]))
    guard let position = UInt64(words[0]), position <= StandbyLimits.numberMaximum,
      let chainHash = Hash256(hexadecimal: words[3])
    else { throw reader.flaw }
    end = JournalPoint(
      position: position, chainHash: chainHash, segmentNumber: segment.number, segmentID: segment.id)
    let count: Int = try reader.number("files")
    guard count == reader.lineCount - 2 else { throw reader.flaw }
    files = []
    files.reserveCapacity(count)
    for _ in 0..<count {
      let file = try reader.file()
      // In order, and so none twice.
      if let last = files.last, last.place.text >= file.place.text { throw reader.flaw }
      files.append(file)
    }
  }

  private static func words(_ line: Substring) -> [Substring]? {
    line.isEmpty ? nil : line.split(separator: " ", omittingEmptySubsequences: false)
  }
}

/// Takes a manifest's lines one after the other.
private struct LineReader {
  var lines: ArraySlice<Substring>

  /// What is left, the last line with its hash and the end of the text included.
  var lineCount: Int { lines.count }

  var flaw: BackupError { .cut("line \(lines.startIndex) of its manifest says nothing that a manifest says") }

  /// What stands in the next line behind its keyword.
  mutating func words(_ keyword: String, count: Int) throws(BackupError) -> [Substring] {
    guard let words = lines.popFirst()?.split(separator: " ", omittingEmptySubsequences: false),
      words.first.map(String.init) == keyword, words.count == count + 1
    else { throw flaw }
    return Array(words.dropFirst())
  }

  mutating func number<Number: FixedWidthInteger>(_ keyword: String) throws(BackupError) -> Number {
    guard let number = Number(try words(keyword, count: 1)[0]), number >= 0 else { throw flaw }
    return number
  }

  func segment(_ words: [Substring]) throws(BackupError) -> SegmentName {
    guard let name = SegmentName(text: words.joined(separator: " ")), name.number > 0 else { throw flaw }
    return name
  }

  mutating func file() throws(BackupError) -> BackupManifest.File {
    guard let words = lines.popFirst()?.split(separator: " ", omittingEmptySubsequences: false), words.count == 4,
      let hash = Hash256(hexadecimal: words[0]), let byteCount = Int(words[1]),
      (0...StandbyLimits.fileByteCountMaximum).contains(byteCount), StandbyFile.isVersion(String(words[2])),
      let place = StandbyPath(String(words[3]))
    else { throw flaw }
    return BackupManifest.File(place, byteCount: byteCount, hash: hash, version: String(words[2]))
  }
}
