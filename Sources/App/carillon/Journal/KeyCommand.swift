import ArgumentParser
import JournalFormat
import SystemPackage

/// `carillon journal key`: makes a key that signs checkpoints.
struct KeyCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "key", abstract: "Make an Ed25519 key for checkpoints, readable by its owner only.",
    discussion: "The public key is printed as PEM: give it to those who are to check checkpoints.")

  @Option(name: .shortAndLong, help: "The file for the private key; it must not exist.") var out: String

  func run() throws {
    try reporting {
      let key = AuditKey()
      try NewFile.create(out, Array(key.pem.utf8), mode: .ownerReadWrite)
      Console.write(Array(key.publicKey.pem.utf8))
    }
  }
}
