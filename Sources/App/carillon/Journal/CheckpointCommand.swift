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
      The head is the last record that the journal itself knows to be on the disk. `journal verify --against FILE` proves \
      later that history up to there is the same, whatever was appended, archived, packed or erased since. With --note, \
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
      let key = try CheckpointFile.key(key)
      var search = JournalHeadSearch()
      var treeHead: TreeHead?
      _ = try journal.read { reader, line in
        guard note != nil else {
          return try reader.verify(progress: { line.update($0) }, frame: { search.add($0) })
        }
        var tree = TreeCheck(directory: try journal.path())
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
      guard let head = search.head else {
        throw CommandFailure(.failure, "nothing is known to be on the disk yet: try again when something was written")
      }
      let now = Timestamp(milliseconds: Int64((Date().timeIntervalSince1970 * 1000).rounded()))
      let checkpoint = try Checkpoint(head, made: now.iso8601Milliseconds, key: key)
      if let note, let treeHead, let origin = origin.flatMap({ KeyName($0) }) {
        let signed = try NoteSigner(name: origin, key: key).sign(LogCheckpoint(origin: origin, head: treeHead))
        try NewFile.create(note, signed.bytes, mode: [.ownerReadWrite, .groupRead, .otherRead])
        if out != nil { Console.print("verifier key  \(NoteSigner(name: origin, key: key).verifierKey.text)") }
      }
      if let out {
        try NewFile.create(out, Array(checkpoint.text.utf8), mode: [.ownerReadWrite, .groupRead, .otherRead])
        Console.print("position    \(checkpoint.point.position)")
        Console.print("chain hash  \(checkpoint.point.chainHash)")
        Console.print("public key  \(checkpoint.publicKey.base64)")
        Console.print("written to  \(out): keep it where who can change the journal cannot change it")
      } else {
        Console.write(Array(checkpoint.text.utf8))
      }
    }
  }
}
