import CallbackDomain
public import EngineKit
import EntityRuntime
public import EventSourcing
import OptionKit

// Time slots. Spec: GMS 9.5.
extension CallbackService {
  /// Slots with room, ascending.
  /// - Parameters:
  ///   - from: now if it is nil, or earlier.
  ///   - to: `days` after `from` if it is nil; a day if that is nil too.
  /// - Throws: `.unknownServiceName`, `.invalid`.
  public func availability(
    service: String, from: Timestamp?, to: Timestamp?, days: Int?, slotsMaximum: Int?
  ) async throws(EngineError) -> [FreeSlot] {
    guard options.current.hasCallbackService(service) else { throw .unknownServiceName(service) }
    let now = context.time.now
    let start = max(from ?? now, now)
    if let days, days < 1 { throw .invalid(field: "number-of-days", reason: "is less than 1") }
    if let slotsMaximum, slotsMaximum < 1 { throw .invalid(field: "max-time-slots", reason: "is less than 1") }
    let end = min(to ?? start.advanced(by: .seconds(86_400 * (days ?? 1))), horizon(of: service))
    return free(of: service, from: start, to: end, limit: min(slotsMaximum ?? .max, limits.slotsMaximum))
  }

  /// The slot of a callback at `time`; nil for one that is to be at once.
  /// - Throws: `.slotUnavailable` outside the office hours, or too far ahead.
  func slot(at time: Timestamp?, of service: String) throws(EngineError) -> Timestamp? {
    let (now, grid) = (context.time.now, grids[service])
    guard let time, time > now else {
      // Whoever wants it at once does not care for the length of slots.
      guard grid.hours.isOpen(at: now, offset: grid.offset(now)) else {
        throw .refused(NoSlot(alternatives: alternatives(of: service, to: now)))
      }
      return nil
    }
    guard grid.fits(time), time <= horizon(of: service) else {
      throw .refused(NoSlot(alternatives: alternatives(of: service, to: time)))
    }
    return grid.bucket(of: time)
  }

  func reserve(_ id: String, _ request: CallbackRequest) throws(EngineError) {
    let service = request.serviceName
    let most = options.current.callback(service)[CallbackOptions.keys.queuedMaximum]
    do throws(CallbackIndex.Obstacle) {
      try index.reserve(
        id, service: service, openMaximum: most, slot: request.slot, capacity: grids[service].capacity)
    } catch {
      switch error {
      case .tooManyOpen: throw .limitReached("callbacks of this service")
      case .slotFull:
        throw .refused(NoSlot(alternatives: alternatives(of: service, to: request.slot ?? context.time.now)))
      }
    }
  }

  /// The next slots with room behind a refused time, or the first ones if it is out of reach.
  func alternatives(of service: String, to refused: Timestamp) -> [FreeSlot] {
    let (now, end) = (context.time.now, horizon(of: service))
    let later = free(of: service, from: max(refused, now), to: end, limit: limits.alternativesMaximum)
    return later.isEmpty ? free(of: service, from: now, to: end, limit: limits.alternativesMaximum) : later
  }

  private func free(of service: String, from start: Timestamp, to end: Timestamp, limit: Int) -> [FreeSlot] {
    let grid = grids[service]
    var found: [FreeSlot] = []
    var next = start
    // A few days at a time: the first slots are often all that is wanted.
    while next < end, found.count < limit {
      let until = limit < limits.slotsMaximum ? min(end, next.advanced(by: .seconds(7 * 86_400))) : end
      let starts = grid.slots(from: next, to: until)
      for (slot, taken) in zip(starts, index.taken(of: service, starts)) where taken < grid.capacity {
        found.append(FreeSlot(start: slot, free: grid.capacity - taken))
        if found.count == limit { break }
      }
      next = until
    }
    return found
  }

  private func horizon(of service: String) -> Timestamp {
    let days = Int64(options.current.callback(service)[CallbackOptions.keys.daysAhead])
    return context.time.now.advanced(by: .seconds(86_400 * days))
  }
}
