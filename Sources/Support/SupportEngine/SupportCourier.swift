import EngineKit
import EventSourcing
import OptionKit
import PushDomain
import PushEngine
import SupportDomain
import Synchronization

/// The couriers of notifications that somebody else pushes (`support`), and of the events for another helpdesk
/// (`helpdesk`). The address is the number of a user: where it leads to, and to which devices, is looked at when
/// an attempt begins, so that a rotated URL and an unregistered device count until the last moment.
final class SupportCourier: PushProvider {
  static let type = "support"
  static let eventsType = "helpdesk"
  static let all: Set<String> = [type, eventsType]

  private static let noWay = "no way to send is configured"

  private let webhooks: SupportWebhooks
  private let service: SupportService

  init(_ service: SupportService) {
    webhooks = service.webhooks
    self.service = service
  }

  var types: Set<String> { Self.all }
  var retryPauses: [Double] { PushSchedule.threeDays }

  func lane(of target: PushAddress, _ options: PushOptions) -> CourierLane {
    guard let (provider, address, options) = webhooks.way(of: target, options) else {
      return CourierLane(id: "support:\(target.provider ?? "")", label: target.type)
    }
    return provider.lane(of: address, options)
  }

  func deliver(_ delivery: PushDelivery) async -> PushOutcome {
    let message = delivery.message
    guard message.target.type != Self.eventsType else {
      guard let (provider, address, options) = webhooks.way(of: message.target, delivery.options) else {
        return .laneBroken(reason: Self.noWay)
      }
      return await provider.deliver(delivery.sent(message.content, to: address, options))
    }
    guard let notification = SupportNotification(bytes: message.content), let user = Int64(message.target.deviceID)
    else { return .refused(reason: "unreadable notification") }
    let devices = await service.liveDevices(notification.devices, of: user)
    guard !devices.isEmpty else { return .refused(reason: "no device is registered any more") }
    // Before a way is looked for: the integration of now may need none, and a push of the one before is not to wait.
    guard webhooks.integration(of: message.target) == notification.integration else {
      return .refused(reason: "the app has another integration now")
    }
    guard let (provider, address, options) = webhooks.way(of: message.target, delivery.options) else {
      return .laneBroken(reason: Self.noWay)
    }
    if notification.integration == .webhook {
      return await provider.deliver(delivery.sent(notification.webhookBody(to: devices), to: address, options))
    }
    let channels = devices.map { ($0.platform == .ios ? "ios_channel:" : "android_channel:") + $0.identifier }
    var display = PushDisplay()
    display.title = notification.title
    display.body = notification.body
    let target = PushAddress(
      type: address.type, deviceID: channels.joined(separator: ","), provider: address.provider, debug: address.debug)
    return await provider.deliver(
      delivery.sent(
        SupportNotification.keys(ticket: notification.ticket, texts: nil), to: target, options,
        display: display))
  }
}

/// Where notifications and events go: the URLs in force, and the couriers that carry them there.
final class SupportWebhooks: Sendable {
  /// Served by the couriers of the rim.
  static let webhookType = PushType.supportWebhook.rawValue
  static let eventsType = PushType.supportEvents.rawValue

  private let options: OptionStore
  private let pushOptions: PushOptionCache
  private let settings: SupportSettings
  private let providers: ProviderLookUp
  /// What operators have set by the API, by client id.
  private let set = Mutex<[String: SupportApp.Webhook]>([:])

  init(
    options: OptionStore, pushOptions: PushOptionCache, settings: SupportSettings, providers: @escaping ProviderLookUp
  ) {
    self.options = options
    self.pushOptions = pushOptions
    self.settings = settings
    self.providers = providers
  }

  func note(_ webhook: SupportApp.Webhook?, of app: String) { set.withLock { $0[app] = webhook } }

  /// Where an app's notifications are posted.
  func url(of settings: SupportAppSettings) -> String? {
    set.withLock { $0[settings.clientID]?.url } ?? settings.webhookURL
  }

  func integration(of target: PushAddress) -> SupportIntegration? {
    target.provider.flatMap { settings[$0]?.integration }
  }

  /// Why an app's notifications cannot be sent; nil if they can, or it depends on the device.
  func obstacle(_ settings: SupportAppSettings) -> String? {
    guard settings.integration != .direct else { return nil }
    let target = PushAddress(type: SupportCourier.type, deviceID: "", provider: settings.clientID)
    guard
      let (provider, address, options) = way(of: target, named(settings))
    else { return "no URL or no courier" }
    guard settings.integration == .airship else { return provider.obstacle(address, options) }
    // Any channel does: the credentials are what is looked at.
    return provider.obstacle(PushAddress(type: address.type, deviceID: "any", provider: address.provider), options)
  }

  /// What is wrong with posting an app's notifications to a URL, wherever it leads now; nil if nothing is.
  func objection(to url: String, _ settings: SupportAppSettings) async -> String? {
    guard let provider = providers(Self.webhookType) else { return nil }
    return await provider.objection(
      to: PushAddress(type: Self.webhookType, deviceID: url, provider: settings.pushProvider), webhookOptions(settings))
  }

  /// The options of an app's pushes.
  private func named(_ settings: SupportAppSettings) -> PushOptions {
    pushOptions.options(provider: settings.pushProvider, tag: SupportService.tag, debug: settings.usesDebug)
  }

  private func webhookOptions(_ settings: SupportAppSettings) -> PushOptions {
    let terms = SupportPushOptions.keys
    // Under the name of the credentials, which need not be the app's.
    return named(settings).with(
      [
        terms.timeout.name: options.current.support.text(of: SupportOptions.keys.webhookTimeout.name),
        terms.isTest.name: settings.isTest ? "true" : nil, terms.zendeskSecret.name: settings.zendeskSecret,
      ])
  }

  /// The courier, the address and the options for it; nil if there is none.
  func way(
    of target: PushAddress, _ given: PushOptions
  ) -> (provider: any PushProvider, address: PushAddress, options: PushOptions)? {
    if target.type == SupportCourier.eventsType {
      let (current, terms, keys) = (options.current, SupportPushOptions.keys, SupportOptions.keys)
      guard let url = current.support[keys.eventsURL], let provider = providers(Self.eventsType) else { return nil }
      let secret = current.support[keys.eventsSecret]
      let options = given.with([
        terms.timeout.name: current.support.text(of: keys.webhookTimeout.name),
        terms.isTest.name: current.support.text(of: keys.isEventsTest.name),
        WebhookOptions.keys.secret.name: secret,
      ])
      return (provider, PushAddress(type: Self.eventsType, deviceID: url), options)
    }
    guard let app = target.provider, let settings = settings[app] else { return nil }
    switch settings.integration {
    case .webhook:
      guard let url = url(of: settings), let provider = providers(Self.webhookType) else { return nil }
      let target = PushAddress(type: Self.webhookType, deviceID: url, provider: settings.pushProvider)
      return (provider, target, webhookOptions(settings))
    case .airship:
      guard let provider = providers(PushType.airship.rawValue) else { return nil }
      return (
        provider, PushAddress(type: PushType.airship.rawValue, deviceID: "", provider: settings.pushProvider),
        named(settings)
      )
    case .direct, nil: return nil
    }
  }
}

extension PushDelivery {
  /// The same push with what really goes out.
  fileprivate func sent(
    _ content: [UInt8], to target: PushAddress, _ options: PushOptions, display: PushDisplay? = nil
  ) -> PushDelivery {
    PushDelivery(
      message: PushMessage(
        producer: message.producer, number: message.number, tag: message.tag, alert: "", content: content,
        service: message.service, target: target, expiry: message.expiry, priority: message.priority, display: display,
        form: .members, owner: message.owner), id: id, attempt: attempt, options: options, now: now)
  }
}
