import EngineKit
import EntityRuntime

/// The log of redactions wants nothing done, and nobody looks for it but by its key.
struct RedactionHost: EntityHost {
  let directory: EntityDirectory<RedactionLog>
  var rearming: RearmPhase? { nil }

  func perform(_ effects: [Never], of log: Entity<RedactionLog>) async {}
}
