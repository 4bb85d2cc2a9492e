package import EngineKit
package import EntityRuntime
import EventSourcing
package import GCMProtocol
import PushDomain

/// What has become of a request that was posted.
package enum MessagePosting: Sendable {
  /// Nothing of it waits for anything.
  case settled(Result<DownstreamAnswer, EngineError>)
  /// Its message waits for the disk; whoever has posted it is told then.
  case underWay
  /// It waits for more than that: to be gone on with by somebody who has the time.
  case takesLonger(@Sendable () async -> Result<DownstreamAnswer, EngineError>)
}

extension MessagingService {
  /// Where requests may be posted from: the lanes of all that is short.
  package var lanes: Lanes { context.lanes }

  /// As `send`, for one that must not be kept waiting, such as a lane. The most common message by far, to one device that
  /// stores it, costs no task and no change of thread there and back.
  /// - Parameter then: told once the message is durable, on the outbox's task: it must not wait for anything.
  package func post(
    _ request: DownstreamRequest, sender: String,
    then: @escaping @Sendable (Result<DownstreamAnswer, EngineError>) -> Void
  ) async -> MessagePosting {
    guard let token = onlyToken(of: request.target), case .live(let found) = await installations.find(token),
      found.registration.relay == nil, isStored(request.variant(for: found.registration.messagePlatform))
    else {
      return .takesLonger { [self] in await result(of: request, sender: sender) }
    }
    switch prepare(request, for: found, named: token, sender) {
    case .settled(let result): return .settled(.success(.targets([result])))
    case .message(let mail, let canonical):
      tap.note { MessageStep(.accepted, mail, at: $0) }
      guard let queue = queues.entity(MailboxKey.device(found.id), limit: limits.pushQueuesMaximum) else {
        return .settled(.failure(Self.tooManyQueues))
      }
      let answer = DownstreamAnswer.targets([.accepted(id: mail.id, canonical: canonical)])
      let taken: Void? = await queue.post(ifRoom: .store(mail, receiver: gateway.receiver(found.id))) { _ in
      } then: { _, fate in
        then(fate == .durable ? .success(answer) : .failure(.unavailable))
      }
      guard taken != nil else {
        // It says why there is no room.
        return .takesLonger { [self] in
          await keep(mail, for: found, canonical: canonical, in: queue).map { .targets([$0]) }
        }
      }
      await installations.recheck(found, queue)
      return .underWay
    }
  }

  /// What `send` comes to.
  package func result(
    of request: DownstreamRequest, sender: String
  ) async -> Result<DownstreamAnswer, EngineError> {
    do throws(EngineError) { return .success(try await send(request, sender: sender)) } catch { return .failure(error) }
  }

  private func onlyToken(of target: DownstreamTarget) -> String? {
    switch target {
    case .recipient(let recipient): groupIndex[recipient] == nil ? recipient : nil
    case .tokens(let tokens): tokens.count == 1 ? tokens[0] : nil
    case .topic, .condition: nil
    }
  }

  private func isStored(_ request: DownstreamRequest) -> Bool { !request.isDryRun && request.timeToLive > 0 }
}
