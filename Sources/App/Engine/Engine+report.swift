import EngineKit

extension Engine {
  /// Brings the metrics up to date that nobody counts as things happen.
  package func report() {
    partition.report()
    couriers.report()
    callbacks.report()
    support.report()
    standbys.report()
  }
}
