import Journal
import JournalFormat
import StandbyWire
import Testing

@testable import StandbyEngine

@Suite("The course of frames through a segment's bytes")
struct FrameCourseTests {
  private static func segment() throws -> (bytes: [UInt8], ends: [(offset: Int, chainHash: Hash256)]) {
    let rig = try PrimaryRig()
    try rig.append(4)
    _ = try rig.writer.roll()
    return (try rig.bytes(PrimaryRig.segment(1)), try rig.ends(ofSegment: 1))
  }

  private static func follow(_ pieces: [ArraySlice<UInt8>]) throws -> (course: FrameCourse, ends: [Int]) {
    var course = FrameCourse(from: 0, chainHash: .zero)
    var ends: [Int] = []
    for piece in pieces { try piece.withUnsafeBytes { try course.take($0) { end, _ in ends.append(end) } } }
    return (course, ends)
  }

  @Test("wherever the bytes are cut, the frames end where they end, and the seal is the last")
  func cuts() throws {
    let (bytes, ends) = try Self.segment()
    let last = try #require(ends.last)
    for size in [1, 2, 87, 88, 89, 4095, 4096, 4097, bytes.count] {
      let pieces = stride(from: 0, to: bytes.count, by: size).map { bytes[$0..<min($0 + size, bytes.count)] }
      let result = try Self.follow(pieces)
      #expect(result.ends == ends.dropFirst().map(\.offset), "pieces of \(size)")
      #expect(result.course.isSealed)
      #expect(result.course.end == last.offset)
      #expect(result.course.chainHash == last.chainHash)
    }
  }

  @Test("from the end of any frame it goes on as from the beginning")
  func within() throws {
    let (bytes, ends) = try Self.segment()
    for (index, end) in ends.dropLast().enumerated() {
      var course = FrameCourse(from: end.offset, chainHash: end.chainHash)
      var found: [Int] = []
      try bytes[end.offset...].withUnsafeBytes { try course.take($0) { offset, _ in found.append(offset) } }
      #expect(found == ends[(index + 1)...].map(\.offset))
    }
  }

  @Test("what is no frame ends it", arguments: [0, 11])
  func damage(at byte: Int) throws {
    var (bytes, ends) = try Self.segment()
    let start = ends[1].offset
    bytes[start + byte] = 0xFF
    #expect(throws: FrameCourse.Damage(offset: start)) { try Self.follow([bytes[...]]) }
  }
}
