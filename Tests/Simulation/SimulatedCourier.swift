import Engine
import EventSourcing
import PushDomain

/// A push provider as the world has them: prompt, late, silent for a while, mistaken, or lying.
///
/// Safe to share: the whole simulation is one thread.
final class SimulatedCourier: PushProvider, @unchecked Sendable {
  /// A delivery that is under way.
  struct Pending {
    let delivery: PushDelivery
    let since: Int64
    let answer: UnsafeContinuation<PushOutcome, Never>
  }

  private unowned let world: World
  weak var life: Life?
  private(set) var pending: [Pending] = []

  let types: Set<String>

  init(_ world: World, types: Set<String>) {
    self.world = world
    self.types = types
  }

  private var isOfSupport: Bool { types == SimulatedServices.supportTypes }

  func deliver(_ delivery: PushDelivery) async -> PushOutcome {
    guard let life, !life.isOver else { return .retryable(reason: "gone") }
    world.handedToProvider(delivery, in: life)
    if world.chance.comes(world.isHonest ? 100 : 60) { return answer(to: delivery) }
    return await withUnsafeContinuation { continuation in
      pending.append(
        Pending(delivery: delivery, since: world.time.monotonicMilliseconds, answer: continuation))
    }
  }

  /// Answers one that waits; all that have waited for more than half a minute are answered, as a provider always is.
  func answerSome() {
    let now = world.time.monotonicMilliseconds
    while let index = pending.firstIndex(where: { now - $0.since > 30_000 }) { answer(index) }
    if !pending.isEmpty, world.chance.comes(50) { answer(world.chance.below(pending.count)) }
  }

  func answerAll() { while !pending.isEmpty { answer(0) } }

  private func answer(_ index: Int) {
    let one = pending.remove(at: index)
    let outcome = answer(to: one.delivery)
    world.trace.note("provider answers \(one.delivery.message.number): \(outcome)")
    one.answer.resume(returning: outcome)
    guard let life, !life.isOver, !isOfSupport, world.chance.comes(20), !world.isHonest else { return }
    // The same answer once more, and sometimes another one, as if two had been on the way.
    let (id, attempt) = (one.delivery.message.id, one.delivery.attempt)
    let second = world.chance.comes(50) ? outcome : self.outcome()
    let target = one.delivery.message.target
    world.start("answer twice", in: life) { engine in
      await engine.order(.attemptEnded(id, attempt: attempt, second), of: target)
    }
  }

  private func answer(to delivery: PushDelivery) -> PushOutcome {
    let outcome = isOfSupport ? supportOutcome(of: delivery.message.target.type) : outcome()
    guard isOfSupport else { return outcome }
    switch outcome {
    case .delivered: world.takenIn.insert(delivery.message.id)
    case .unregistered: world.reference.support.touch(delivery.message.target.deviceID, epoch: world.epoch)
    default: break
    }
    return outcome
  }

  /// As the couriers of the rim read the answers 200, 503, 410, and none.
  private func supportOutcome(of type: String) -> PushOutcome {
    if world.isHonest { return .delivered() }
    switch world.chance.below(100) {
    case 0..<55: return .delivered()
    case 55..<75:
      let wish: Duration? = world.chance.comes(40) ? .seconds(world.chance.number(in: 1...60)) : nil
      return .retryable(reason: "503", after: wish)
    case 75..<87: return .retryable(reason: "no answer", mayBeDelivered: true, isTransport: true)
    case 87..<90: return .laneBroken(reason: "401")
    default:
      // An endpoint that is gone stops; it ends no devices.
      guard type == "ios" || type == "fcm" else { return .laneBroken(reason: "410") }
      let since = world.chance.comes(50) ? world.time.now.advanced(by: .seconds(-world.chance.below(600))) : nil
      return .unregistered(reason: "410 Unregistered", since: since)
    }
  }

  /// Says "delivered" most of the time, whether or not it is true.
  private func outcome() -> PushOutcome {
    if world.isHonest { return .delivered() }
    switch world.chance.below(100) {
    case 0..<60: return .delivered(id: "as-\(world.chance.below(1_000))")
    case 60..<64: return .unprocessed(reason: "refused stream")
    case 64..<66: return .laneBroken(reason: "403 InvalidProviderToken")
    case 66..<68: return .lanePaused(reason: "429 quota", for: .seconds(world.chance.number(in: 1...20)))
    case 68..<74: return .retryable(reason: "no answer", mayBeDelivered: true, isTransport: true)
    case 82..<85: return .rejected(reason: "404")
    case 74..<82:
      let wish: Duration? = world.chance.comes(30) ? .seconds(world.chance.number(in: 1...60)) : nil
      return .retryable(reason: "busy", after: wish)
    case 85..<97: return .refused(reason: "no")
    case 97: return .unregistered(reason: "not for this topic", isSuspect: true)
    default: return .unregistered(reason: "gone")
    }
  }
}
