import ArgumentParser
import JSONEnvelope
import Journal
import JournalFormat
import SystemPackage
import Transparency

/// `carillon journal verify`: every checksum, the order of everything, every leaf and every link of the chain.
struct VerifyCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "verify", abstract: "Check every frame, every record and the whole hash chain; print the head hash.",
    discussion: """
      Archived and packed segments are checked too, and the tree over the records, if it is made. Names file and offset at the first damage. With --against, also \
      proves that history up to a checkpoint is the one that was signed; without --public-key the key that the \
      checkpoint names is taken, and anybody can have made such a file.
      """)

  @OptionGroup var journal: JournalArguments
  @Option(help: "A checkpoint: fails unless it is a part of this journal's history.") var against: String?
  @Option(help: "The PEM file of the key that the checkpoint must be signed with.") var publicKey: String?
  @Option(help: "A chain hash kept from an earlier run: fails unless it is the head now or was one on the way.")
  var contains: String?
  @Option(help: "text or json.") var format = OutputFormat.text

  func validate() throws {
    if publicKey != nil, against == nil { throw ValidationError("--public-key goes with --against.") }
  }

  func run() throws {
    try reporting {
      let places = try journal.places()
      // What is wrong with the checkpoint by itself is said before a long run.
      let signed = try against.map { try CheckpointFile.read($0, publicKey: publicKey, of: places) }
      var search = HashSearch(contains)
      try journal.each(places) { place in
        try verify(place, signed, &search)
      }
      // One of several need not have what another has.
      try search.finish()
    }
  }

  private func verify(_ place: JournalPlace, _ signed: SignedHeads?, _ search: inout HashSearch) throws {
    let start = ContinuousClock.now
    var comparison = signed?.heads[place.partition].map { CheckpointComparison($0) }
    var snapshots: [SnapshotInfo] = []
    var treeHead: TreeHead?
    let report = try journal.read(place) { reader, line in
      var audit: SnapshotAudit?
      var brokenSnapshot: SnapshotError?
      do throws(SnapshotError) { audit = try SnapshotAudit(directory: place.path) } catch { brokenSnapshot = error }
      var tree = TreeCheck(directory: place.path)
      let report: VerifyReport
      do {
        report = try reader.verify(
          progress: { line.update($0) },
          frame: { frame in
            comparison?.add(frame)
            audit?.add(frame)
            tree.add(frame)
            search.add(frame)
          },
          leaves: { tree.add($0, $1) })
      } catch {
        // That history is another one comes before whatever else is wrong.
        if comparison?.hasFoundOtherHistory == true { try judge(comparison) }
        throw error
      }
      try judge(comparison)
      if place.partition == nil { try search.finish() }
      if let brokenSnapshot { throw brokenSnapshot }
      try audit?.finish()
      treeHead = try tree.finish()
      snapshots = audit?.snapshots ?? []
      return report
    }
    let found = Found(report: report, snapshots: snapshots, tree: treeHead)
    switch format {
    case .text:
      place.printHeading()
      print(found, signed, signed?.heads[place.partition])
    case .json:
      let seconds = (ContinuousClock.now - start) / .seconds(1)
      Console.write(json(found, of: place, signed, seconds: seconds))
    }
  }

  /// What is there, of a journal that is intact.
  private struct Found {
    let report: VerifyReport
    let snapshots: [SnapshotInfo]
    let tree: TreeHead?
  }

  private func judge(_ comparison: CheckpointComparison?) throws {
    guard let against, let comparison else { return }
    do throws(CheckpointError) { try comparison.finish() } catch { throw CommandFailure(error, file: against) }
  }

  /// - Parameter head: what was signed of this journal.
  private func print(_ found: Found, _ signed: SignedHeads?, _ head: JournalHead?) {
    let (report, snapshots) = (found.report, found.snapshots)
    Console.print("records     \(report.records) (\(report.redactedRecords) redacted)")
    Console.print("positions   \(report.firstPosition) to \(report.lastPosition)")
    if report.isBeginningGone {
      Console.print(
        "beginning   gone: records 1 to \(report.firstPosition - 1) are neither here nor in the archive, so nothing is "
          + "said about them, nor about what a start without a snapshot would need of them")
    }
    Console.print("frames      \(report.frames)")
    let places = "\(report.archivedSegments) archived, \(report.packedSegments) packed"
    Console.print("segments    \(report.segments) (\(places))")
    if !snapshots.isEmpty {
      let positions = snapshots.map { String($0.point.position) }.joined(separator: ", ")
      Console.print("snapshots   \(snapshots.count), taken at position \(positions)")
    }
    Console.print("head hash   \(report.headHash)")
    if let tree = found.tree { Console.print("tree        of records 1 to \(tree.size), root \(tree.root)") }
    if report.tailByteCount > 0 {
      Console.print(
        "tail        \(report.tailByteCount) bytes of an unfinished write: a running server finishes it, "
          + "a start cuts it off")
    }
    if let signed, let head {
      let key =
        publicKey == nil ? "by the key that it names itself, which proves nothing about who made it" : "by the key"
      Console.print("checkpoint  of \(signed.made), position \(head.point.position): history is the same")
      Console.print("signed      \(key) \(signed.publicKey.base64)")
    }
    Console.print("intact")
  }

  private func json(_ found: Found, of place: JournalPlace, _ signed: SignedHeads?, seconds: Double) -> [UInt8] {
    let report = found.report
    return JSONWriter.object { object in
      place.write(into: &object)
      object.member("intact", true)
      object.member("records", report.records)
      object.member("redactedRecords", report.redactedRecords)
      object.member("firstPosition", report.firstPosition)
      object.member("lastPosition", report.lastPosition)
      object.member("frames", report.frames)
      object.member("segments", report.segments)
      object.member("archivedSegments", report.archivedSegments)
      object.member("packedSegments", report.packedSegments)
      object.member("snapshots", found.snapshots.count)
      object.member("plainBytes", report.plainByteCount)
      object.member("storedBytes", report.storedByteCount)
      object.member("tailBytes", report.tailByteCount)
      object.member("milliseconds", UInt64(seconds * 1000))
      object.member("isBeginningGone", report.isBeginningGone)
      object.member("headHash", report.headHash.description)
      if let tree = found.tree {
        object.member("treeSize", tree.size)
        object.member("treeRoot", tree.root.description)
      }
      guard let signed, let head = signed.heads[place.partition] else { return }
      object.object("checkpoint") { object in
        object.member("made", signed.made)
        object.member("position", head.point.position)
        object.member("chainHash", head.point.chainHash.description)
        object.member("publicKey", signed.publicKey.base64)
        object.member("isKeyGiven", publicKey != nil)
      }
    } + [UInt8(ascii: "\n")]
  }
}

/// Looks for a chain hash while the frames of journals go by.
private struct HashSearch {
  private let hash: String?
  private let wanted: String?
  private var isFound = false

  /// - Parameter hash: nil: nothing is looked for.
  init(_ hash: String?) {
    self.hash = hash
    wanted = hash?.lowercased()
  }

  mutating func add(_ frame: FrameInfo) {
    if let wanted, !isFound, frame.header.chainHash.description == wanted { isFound = true }
  }

  func finish() throws(CommandFailure) {
    guard let hash, !isFound else { return }
    throw CommandFailure(
      .historyDiffers,
      "no frame of this journal has the chain hash \(hash): history was changed, or it is another journal")
  }
}
