import Conservation
import JSONEnvelope
import NIOPosix
import PushDomain

/// What is judged by the files, once the server has stopped.
struct SoakVerdict: Sendable {
  let world: SoakWorld
  private let files: SoakFiles

  init(_ world: SoakWorld) {
    self.world = world
    files = SoakFiles(directory: world.server.directory)
  }

  /// - Returns: what `journal verify` says of it.
  func judgeJournal() async throws -> JSONValue {
    let data = world.server.directory.path + "/data"
    let verdict = try await world.server.command(["journal", "verify", data, "--format", "json"])
    guard verdict.status == 0, let facts = try? JSONValue(parsing: Array(verdict.output.utf8)) else {
      world.tally.violate("journal verify ended with \(verdict.status): \(verdict.output)")
      return .null
    }
    for (what, name) in [
      ("redacted", "redactedRecords"), ("archived", "archivedSegments"), ("packed", "packedSegments"),
    ]
    where facts[name]?.integer ?? 0 == 0 {
      world.tally.violate("nothing of the journal was \(what): it proves nothing")
    }
    return facts
  }

  /// - Returns: how many pushes came to which end.
  func judgePushes(
    _ erased: [(person: SoakPerson, services: [String])]
  ) async throws -> [(name: String, count: Int)] {
    var ledger = try await NIOThreadPool.singleton.runIfActive { try files.pushes() }
    if world.settings.plant == .outcome { ledger.taken(PushID(producer: "planted", number: 1)) }
    let theirs = Set(erased.flatMap(\.services))
    world.tally.violate(ledger.verdict { theirs.contains($0.producer) })
    world.tally.violate(world.providers.violations)
    if ledger.outcomes["delivered", default: 0] == 0 { world.tally.violate("no push was delivered: it proves nothing") }
    return ledger.outcomes.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
  }

  func judgeErasures(_ erased: [SoakPerson]) async throws {
    let found = try await NIOThreadPool.singleton.runIfActive { try files.marks() }
    if found.isEmpty { world.tally.violate("no mark of anybody is in the files: the search proves nothing") }
    var numbers = Set(erased.map(\.number))
    if world.settings.plant == .text, let living = found.first { numbers.insert(living) }
    let left = numbers.intersection(found)
    if !left.isEmpty {
      world.tally.violate("\(left.count) of \(numbers.count) erased people are still in the files")
      for person in erased where left.contains(person.number) { world.tally.violate("\(person.user) is in the files") }
    }
    if erased.isEmpty { world.tally.violate("nobody was erased: it proves nothing") }
  }
}
