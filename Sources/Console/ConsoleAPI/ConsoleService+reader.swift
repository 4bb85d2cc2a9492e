package import ConsoleEngine
package import HTTPKit
import NetworkAddress

/// What the edge knows sessions by.
extension ConsoleService: SessionReader {
  package func tokenID(ofSession key: String) -> String? { tokenID(of: key) }
  package func used(session key: String) { used(key) }
  package func orphaned(session key: String) { orphaned(key) }

  package func visited(session key: String, from visit: SessionVisit) {
    visited(key, from: visit.address?.description, userAgent: visit.userAgent)
  }
}
