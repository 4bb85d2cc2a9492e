import ArgumentParser
// Imported to be linked: it takes the place of malloc.
import CJemalloc

/// The program. Not on the main actor: a call from there to an actor costs two thread switches.
@main
struct Carillon {
  nonisolated static func main() async { await RootCommand.main() }
}
