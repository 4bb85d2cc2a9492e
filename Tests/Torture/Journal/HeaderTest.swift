import JournalFormat

/// Hostile numbers in every field that has a length, a count, a position or a kind, with right checksums.
///
/// Each is refused or does no harm, in bounded time and memory. A start checks checksums, so an enemy may have changed
/// what it replays; a reader that checks hashes finds the records that were written, or none.
struct HeaderTest: TortureTest {
  static let name = "headers"
  static let purpose = "hostile lengths in every header field, with right checksums"

  /// For one hostile number; the journals here are small.
  private static let secondsMaximum = 1.0
  /// For all of them.
  private static let growthByteCountMaximum = 512 << 20

  private struct Field {
    var file: String
    var offset: Int
    var width: Int
  }

  private let journal: IntactJournal
  private let plan: Plan
  private let fields: [Field]
  private let values: [UInt64]
  private let others: ForgedFiles

  init(_ plan: Plan) throws {
    self.plan = plan
    journal = try IntactJournal(segmentByteCount: 16 * 1024, seed: plan.seed, fillPercent: 60)
    let segment = [(8, 4), (12, 4), (16, 8), (24, 8), (32, 8), (48, 8), (64, 8), (72, 8), (80, 8), (88, 4), (92, 4)]
    let frame = [(8, 4), (12, 4), (16, 4), (20, 1), (21, 1), (22, 2), (24, 8), (32, 8), (40, 8), (48, 4), (52, 4)]
    fields =
      segment.map { Field(file: "segment header", offset: $0.0, width: $0.1) }
      + frame.map { Field(file: "frame header", offset: $0.0, width: $0.1) }
    values = HostileNumbers.all
    others = try ForgedFiles(seed: plan.seed)
  }

  /// Fields of segments and frames, then those of packed segments, snapshots and records.
  var caseCount: Int { fields.count + ForgedFiles.fields.count }

  func run(_ number: Int) throws -> CaseResult {
    let peak = Consumption.peakByteCount
    var result =
      number < fields.count ? run(fields[number]) : run(ForgedFiles.fields[number - fields.count])
    let growth = Consumption.peakByteCount - peak
    result.check(growth < Self.growthByteCountMaximum, "took \(growth) bytes of memory")
    return result
  }

  private func run(_ field: Field) -> CaseResult {
    var result = CaseResult(count: 0)
    // Frames in the beginning, the middle and at the end of the log.
    let frames = field.file == "segment header" ? [0] : [0, journal.frameEnds.count / 2, journal.frameEnds.count - 1]
    for (value, frame) in values.flatMap({ value in frames.map { (value, $0) } }) {
      result.count += 1
      let what = "\(field.file), field at \(field.offset) = \(value), frame \(frame)"
      let disk = journal.disk(with: forged(field, value, frame: frame))
      let began = Consumption.processorSeconds
      if case .wrong(let text) = journal.read(disk) { result.violations.append("\(what): \(text)") }
      // Only that it ends in an orderly way: what is replayed is the enemy's choice.
      if case .refused(let error) = journal.start(on: disk), !error.namesFile {
        result.violations.append("\(what): the report names no file: \(error)")
      }
      let took = Consumption.processorSeconds - began
      result.check(took < Self.secondsMaximum, "\(what): took \(took) s of the processor")
    }
    return result
  }

  private func run(_ field: ForgedFiles.Field) -> CaseResult {
    var result = CaseResult(count: 0)
    for value in values {
      result.count += 1
      let began = Consumption.processorSeconds
      if let wrong = others.judge(field, value) { result.violations.append("\(field) = \(value): \(wrong)") }
      let took = Consumption.processorSeconds - began
      result.check(took < Self.secondsMaximum, "\(field) = \(value): took \(took) s of the processor")
    }
    return result
  }

  private func forged(_ field: Field, _ value: UInt64, frame: Int) -> [UInt8] {
    var bytes = journal.bytes
    func put(_ offset: Int) {
      switch field.width {
      case 1: bytes[offset] = UInt8(truncatingIfNeeded: value)
      case 2: bytes.store(UInt16(truncatingIfNeeded: value), at: offset)
      case 4: bytes.store(UInt32(truncatingIfNeeded: value), at: offset)
      default: bytes.store(value, at: offset)
      }
    }
    if field.file == "segment header" {
      put(field.offset)
      bytes.store(Checksum.crc32c(bytes[..<4092]), at: 4092)
      // All frames continue from the checksum of the header.
      let seed = bytes.load(UInt32.self, at: 4092)
      for index in journal.frameEnds.indices { seal(&bytes, frame: index, seed: seed) }
    } else {
      put(start(of: frame) + field.offset)
      seal(&bytes, frame: frame, seed: bytes.load(UInt32.self, at: 4092))
    }
    return bytes
  }

  private func start(of frame: Int) -> Int {
    frame == 0 ? FormatLimits.segmentHeaderByteCount : journal.frameEnds[frame - 1].offset
  }

  /// As far as the length in the header lies inside the file.
  private func seal(_ bytes: inout [UInt8], frame: Int, seed: UInt32) {
    let start = start(of: frame)
    let end = start + FrameHeader.byteCount + Int(bytes.load(UInt32.self, at: start + 8))
    guard end <= bytes.count else { return }
    bytes.store(Checksum.crc32c(bytes[(start + 8)..<end], seed: seed), at: start + 4)
  }
}

/// Numbers at which arithmetic goes wrong.
enum HostileNumbers {
  static let all: [UInt64] = {
    var numbers: Set<UInt64> = [0, 1, .max, .max - 1]
    for bit in 0..<64 {
      let power = UInt64(1) << UInt64(bit)
      // Negative ones are large ones, read with a sign.
      numbers.formUnion([power &- 1, power, power &+ 1, 0 &- power, 1 &- power])
    }
    return numbers.sorted()
  }()
}
