import ArgumentParser
import EventSourcing
import Journal
import JournalFormat
import SystemPackage
import Transparency

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// `carillon journal checkpoint`: the head of the journal, signed, for safekeeping elsewhere.
struct CheckpointCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "checkpoint",
    abstract: "Verify the journal and write its head, signed, to a file to be kept elsewhere.",
    discussion: """
      The head is the last record that the journal itself knows to be on the disk; of a data directory with several \
      journals, the heads of all. `journal verify --against FILE` proves later that history up to there is the same, \
      whatever was appended, archived, packed or erased since. With --note, \
      the tree over the records is signed too, as a note that tools of others check: of the records that it has, which may be \
      a few seconds less.
      """)

  @OptionGroup var journal: JournalArguments
  @Option(help: "The Ed25519 key that signs: PEM, as `journal key` or `openssl genpkey -algorithm ed25519` writes it.")
  var key: String
  @Option(name: .shortAndLong, help: "The file to write, which must not exist; standard output if absent.")
  var out: String?

  @Option(help: "A second file to write, which must not exist: the checkpoint as a signed note of the tree.")
  var note: String?
  @Option(help: "The log's name in the note, as in the option `journal.origin`.") var origin: String?

  func validate() throws {
    guard note != nil || origin == nil else { throw ValidationError("--origin goes with --note.") }
    guard note == nil || origin != nil else { throw ValidationError("--note goes with --origin.") }
    if let origin, KeyName(origin) == nil {
      throw ValidationError("--origin has spaces, control characters or +, is empty or too long.")
    }
  }

  func run() throws {
    try reporting {
      let places = try journal.places()
      if note != nil, places.count > 1 {
        throw CommandFailure(.usage, "--note is of one journal: name it by --partition")
      }
      let key = try CheckpointFile.key(key)
      if places.count > 1 { return try signAll(places, key) }
      let (head, treeHead) = try self.head(of: places[0], withTree: note != nil)
      guard let head else { throw Self.nothingYet }
      let checkpoint = try Checkpoint(head, made: Self.now, key: key)
      if let note, let treeHead, let origin = origin.flatMap({ KeyName($0) }) {
        let signed = try NoteSigner(name: origin, key: key).sign(LogCheckpoint(origin: origin, head: treeHead))
        try NewFile.create(note, signed.bytes, mode: [.ownerReadWrite, .groupRead, .otherRead])
        if out != nil { Console.print("verifier key  \(NoteSigner(name: origin, key: key).verifierKey.text)") }
      }
      try write(checkpoint.text) {
        Self.print(head)
        Console.print("public key  \(checkpoint.publicKey.base64)")
      }
    }
  }

  /// The heads of several journals, in one file.
  private func signAll(_ places: [JournalPlace], _ key: AuditKey) throws {
    var heads: [JournalHead?] = []
    try journal.each(places) { heads.append(try head(of: $0, withTree: false).head) }
    guard heads.contains(where: { $0 != nil }) else { throw Self.nothingYet }
    let checkpoint = try JointCheckpoint(heads, made: Self.now, key: key)
    try write(checkpoint.text) {
      for (place, head) in zip(places, heads) {
        place.printHeading()
        if let head { Self.print(head) } else { Console.print("empty       nothing is known to be on the disk yet") }
      }
      Console.print("public key  \(checkpoint.publicKey.base64)")
    }
  }

  private static var nothingYet: CommandFailure {
    CommandFailure(.failure, "nothing is known to be on the disk yet: try again when something was written")
  }

  private static var now: String {
    Timestamp(milliseconds: Int64((Date().timeIntervalSince1970 * 1000).rounded())).iso8601Milliseconds
  }

  /// Verifies a journal.
  ///
  /// - Returns: nil for what is not known to be on the disk yet, and for a tree that nobody asks for.
  private func head(of place: JournalPlace, withTree: Bool) throws -> (head: JournalHead?, tree: TreeHead?) {
    var search = JournalHeadSearch()
    var treeHead: TreeHead?
    _ = try journal.read(place) { reader, line in
      guard withTree else {
        return try reader.verify(progress: { line.update($0) }, frame: { search.add($0) })
      }
      var tree = TreeCheck(directory: place.path)
      let report = try reader.verify(
        progress: { line.update($0) },
        frame: { frame in
          search.add(frame)
          tree.add(frame)
        },
        leaves: { tree.add($0, $1) })
      guard let head = try tree.finish() else { throw TreeError.notMade }
      treeHead = head
      return report
    }
    return (search.head, treeHead)
  }

  private static func print(_ head: JournalHead) {
    Console.print("position    \(head.point.position)")
    Console.print("chain hash  \(head.point.chainHash)")
  }

  /// - Parameter tell: says on standard output what was written to a file.
  private func write(_ text: String, _ tell: () -> Void) throws {
    guard let out else {
      Console.write(Array(text.utf8))
      return
    }
    try NewFile.create(out, Array(text.utf8), mode: [.ownerReadWrite, .groupRead, .otherRead])
    tell()
    Console.print("written to  \(out): keep it where who can change the journal cannot change it")
  }
}
