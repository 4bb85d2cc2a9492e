import Journal
import ServiceLifecycle
import Supervision

/// Tells the service manager that a stop has begun. The last service of the group, because the last is stopped first.
struct StopNotice: Service {
  let supervisor: Supervisor

  func run() async throws {
    try? await gracefulShutdown()
    supervisor.stops()
  }
}

extension StartProgress {
  init(_ progress: ReplayProgress) {
    self.init(segmentsRead: progress.segment, segmentCount: progress.segmentCount, records: progress.records)
  }
}
