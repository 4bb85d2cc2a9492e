import Bayeux
import EngineKit
import EntityRuntime
import EventSourcing

// Sessions that end by themselves, and what happens to those that stay.
extension CometGateway {
  /// A session ended by itself. Called on the session's actor; who rides on it is told from a task.
  func ended(_ session: CometSession, _ end: SessionEnd) {
    directory.remove(session, isDeparting: end != .disconnected)
    channels.leave(session)
    if end == .overflowed { channels.metrics.overflowed() }
    if end != .disconnected { tellLoss(of: session, end) }
  }

  /// A session that ended meanwhile may have been entered in the channels behind its end.
  func forgetIfOver(_ session: CometSession) {
    if directory[session.clientID] !== session { channels.leave(session) }
  }

  /// Other rules are in force: what sessions had subscribed to before may be open again.
  func rejoinAll() {
    let spawned = tasks.spawn { [self] in
      for session in directory.all {
        await session.rejoin()
        forgetIfOver(session)
      }
    }
    guard !spawned else { return }
    _ = context.timers.schedule(afterMilliseconds: Int64(limits.busyIntervalMilliseconds)) { [weak self] in
      self?.rejoinAll()
    }
  }

  private func tellLoss(of session: CometSession, _ end: SessionEnd) {
    let spawned = tasks.spawn { [self] in
      do throws(EventLogError) { try await session.close(end) } catch {
        return error == .failed ? () : tellLater(of: session, end)
      }
      directory.departed(session)
      await tell { await $0.lost(session) }
    }
    if !spawned { tellLater(of: session, end) }
  }

  /// There is no room at the moment: it is told a little later.
  private func tellLater(of session: CometSession, _ end: SessionEnd) {
    _ = context.timers.schedule(afterMilliseconds: Int64(limits.busyIntervalMilliseconds)) { [self] in
      tellLoss(of: session, end)
    }
  }
}
