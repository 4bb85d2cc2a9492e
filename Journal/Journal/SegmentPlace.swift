internal import SystemPackage

/// One file of a segment: where it lies and in which form.
///
/// ```
///   live .segment ──pack──> live .packed
///        │                       │            a file only ever goes along the arrows, and is there at its end
///     archive                 archive         before it is gone from its beginning
///        v                       v
/// archived .segment ──pack──> archived .packed
/// ```
/// Whoever looks in the order of `rank` therefore finds every segment, whatever is being moved meanwhile.
struct SegmentPlace: Sendable, Hashable {
  enum Form: String, Sendable, CaseIterable {
    case plain = ".segment"
    case packed = ".packed"
  }

  let number: UInt64
  let form: Form
  let isArchived: Bool
  let directory: FilePath

  var path: FilePath { directory.appending(Self.name(number, form)) }
  /// Of two files of one segment the lower one is read; they say the same.
  var rank: Int { (isArchived ? 2 : 0) + (form == .packed ? 1 : 0) }

  init(_ number: UInt64, _ form: Form, in directory: FilePath, isArchived: Bool) {
    self.number = number
    self.form = form
    self.directory = directory
    self.isArchived = isArchived
  }

  /// Nil if no segment has such a name.
  init?(name: String, in directory: FilePath, isArchived: Bool) {
    guard let form = Form.allCases.first(where: { name.hasSuffix($0.rawValue) }) else { return nil }
    let digits = name.dropLast(form.rawValue.count)
    guard digits.count >= Limits.segmentNumberDigits, digits.utf8.allSatisfy({ (48...57).contains($0) }),
      let number = UInt64(digits)
    else { return nil }
    self.init(number, form, in: directory, isArchived: isArchived)
  }

  static func name(_ number: UInt64, _ form: Form) -> String { digits(number) + form.rawValue }

  /// As names have it.
  static func digits(_ number: UInt64) -> String {
    let digits = String(number)
    return String(repeating: "0", count: max(0, Limits.segmentNumberDigits - digits.count)) + digits
  }
}

extension JournalDirectory {
  /// The places where segment `number` may lie, in the order in which they are looked at.
  func candidates(_ number: UInt64) -> [SegmentPlace] {
    [(path, false), (archive, true)].flatMap { directory, isArchived in
      SegmentPlace.Form.allCases.map { SegmentPlace(number, $0, in: directory, isArchived: isArchived) }
    }
  }
}
