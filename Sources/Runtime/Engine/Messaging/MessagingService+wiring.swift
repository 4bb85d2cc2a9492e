import EntityRuntime
import EventSourcing
import PushDomain

extension MessagingService {
  init(
    installations: EntityDirectory<Installation>, groups: EntityDirectory<DeviceGroup>,
    broadcasts: EntityDirectory<Broadcast>, queues: EntityDirectory<PushQueue>, dispatcher: PushDispatcher,
    configuration: EngineConfiguration, identifiers: Identifiers, context: RuntimeContext,
    itself: Late<MessagingService>
  ) {
    let (limits, settings, topics) = (configuration.limits, configuration.messaging, TopicIndex())
    tap = MessageTap(limits: limits, now: { [time = context.time] in time.now })
    self.installations = InstallationService(
      directory: installations, topics: topics, queues: queues, context: context, identifiers: identifiers,
      limits: limits)
    let upstream = AppServerGateway(queues: queues, context: context, limits: limits, links: AppServerLinks())
    gateway = DeviceGateway(
      installations: self.installations, queues: queues, upstream: upstream, context: context, limits: limits, tap: tap,
      throttle: settings.collapseBurst.map {
        CollapseThrottle(burst: $0, refillSeconds: settings.collapseRefillSeconds)
      }, isSender: configuration.isSender, messaging: itself)
    relay = MessageRelay(dispatcher: dispatcher, queues: queues, limits: limits)
    self.broadcasts = BroadcastRunner(
      broadcasts: broadcasts, installations: self.installations, topics: topics, queues: queues, gateway: gateway,
      relay: relay, context: context, limits: limits)
    self.groups = groups
    groupIndex = GroupIndex()
    rates = MessageRates(settings)
    faults = FaultScripts()
    self.queues = queues
    self.identifiers = identifiers
    self.context = context
    self.limits = limits
  }

  /// What a queue's mailbox wants done.
  func perform(_ effects: [PushEffect], of queue: Entity<PushQueue>) async {
    for effect in effects {
      switch effect {
      case .mailWaits(let mail):
        if let device = MailboxKey.device(of: queue.id.key) {
          gateway.stored(mail, for: device)
        } else if let sender = MailboxKey.sender(of: queue.id.key) {
          gateway.upstream.stored(mail, for: sender)
        }
      case .mailEnded(let mails, let ending):
        if let device = MailboxKey.device(of: queue.id.key) {
          await gateway.ended(mails, ending, for: device)
        } else if let sender = MailboxKey.sender(of: queue.id.key) {
          gateway.upstream.ended(mails, ending, for: sender)
        }
      case .mailDropped(let last, _): tap.note { MessageStep(.dropped, last, at: $0) }
      case .mailNoticed(let last, _, let isOpen):
        if let device = MailboxKey.device(of: queue.id.key) { gateway.noticed(last, isOpen: isOpen, for: device) }
      case .ready, .startTimer, .cancelTimer, .accepted, .settled, .addressGone, .deadLetters: break
      }
    }
  }

  /// The server stops: devices and app servers are told, those who watch are let go.
  func drain() {
    gateway.drainAll()
    gateway.upstream.drainAll()
    tap.finish()
  }
}
