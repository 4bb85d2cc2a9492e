import ChatEngine
import CometEngine
import EngineKit
import EntityRuntime
import EventSourcing
import JSONEnvelope
import Logging
import OptionKit
import PushDomain
import PushEngine
import SupportDomain

// Who is told of a comment, and how. Spec: support requests 4 to 6.
extension SupportService {
  // MARK: Planning

  /// As options and devices stand now.
  func notice(for note: SupportRequestNote, _ number: Int64) async -> SupportNotice {
    var notice = SupportNotice()
    guard note.channel == .mobileSDK, let requester = note.requester, let app = note.app, let settings = self.app(app),
      let integration = settings.integration
    else {
      notice.isOn = false
      return notice
    }
    if let obstacle = webhooks.obstacle(settings) {
      // It waits for the operator to mend that, or becomes a dead letter: nothing vanishes.
      logger.warning("a notification has to wait", metadata: ["app": "\(app)", "reason": "\(obstacle)"])
    }
    notice.parts = await parts(settings, integration, of: requester)
    notice.coalescing = settings.coalescing
    let grace = current.refreshGrace
    if grace > .zero, await comet.isFollowed(SupportStreamChannel.of(number), by: Self.ownerName(requester)) {
      notice.grace = grace
    }
    return notice
  }

  /// One for each text that devices are told, and for as many devices as one call takes; with our own couriers one for
  /// each device.
  private func parts(
    _ settings: SupportAppSettings, _ integration: SupportIntegration, of user: Int64
  ) async -> [SupportPartDraft] {
    let devices = await users[String(user)]?.peek { user in
      user.devices.filter { $0.isLive && $0.app == settings.clientID && $0.address == integration.address }
    }
    let live = (devices ?? []).filter { index.owner(of: $0.key)?.user == user }
    var languages: [String?] = []
    var byLanguage: [String?: [Int]] = [:]
    for device in live {
      let language = settings.language(for: device.locale)
      if byLanguage[language] == nil { languages.append(language) }
      byLanguage[language, default: []].append(device.id)
    }
    let size = integration == .direct ? 1 : current.devicesByCall
    return languages.flatMap { language in
      let devices = byLanguage[language] ?? []
      return stride(from: 0, to: devices.count, by: size).map { start in
        SupportPartDraft(
          integration: integration, devices: Array(devices[start..<min(start + size, devices.count)]),
          language: language)
      }
    }
  }

  /// The alarm of a request has rung: what waited for an open stream is due.
  func alarmed(_ key: String) async {
    guard let number = Int64(key), let note = await requests.peek(key, { SupportRequestNote($0) }),
      let request = requests[key]
    else { return }
    let notice = await notice(for: note, number)
    await request.post(.due(parts: notice.parts))
    // A clock that was set back meanwhile makes it too early.
    if let again = await request.peek({ $0.waiting.map(\.at).min() }) {
      timers.start(.alarm, of: key, at: max(again, context.time.now.advanced(by: .milliseconds(100))))
    }
  }

  // MARK: What requests want

  func perform(_ effects: [SupportRequestEffect], of request: Entity<SupportRequest>) async {
    let number = Int64(request.id.key) ?? 0
    for effect in effects {
      switch effect {
      case .changed(let change):
        await follow(request)
        metrics.changed(change, index.request(number)?.channel)
        guard feed.hasListeners else { break }
        let view = await request.peek { SupportRequestView($0, number: number, for: .agent) }
        if let view {
          let assignee = view.assignee.flatMap { index[user: $0]?.identity?.key.agentName }
          feed.publish(
            chatID: "", serviceID: Self.prefix + request.id.key, .other(SupportRequestNews(change: change, view: view)),
            to: AgentAudience(
              service: view.terms.app ?? view.terms.transcript?.service, isOpen: true,
              agents: assignee.map { [$0] } ?? []))
        }
      case .noted: await follow(request)
      case .publish(let comment): await publish(comment, of: request, number)
      case .perform(let duty): await perform(duty, of: request, number)
      case .setAlarm(let deadline): timers.start(.alarm, of: request.id.key, at: deadline)
      case .cancelAlarm: timers.cancel(.alarm, of: request.id.key)
      case .dropFiles(let tokens): drop(tokens, of: request)
      case .suppressed(let reason, let devices): metrics.suppressed(reason, devices: devices)
      }
    }
  }

  private func follow(_ request: Entity<SupportRequest>) async {
    index.set(request: request.id.key, await request.peek { SupportRequestNote($0) })
  }

  /// Spec: support requests 6.2.
  private func publish(_ comment: Int, of request: Entity<SupportRequest>, _ number: Int64) async {
    guard let requester = await request.peek({ $0.terms?.requester }) else { return }
    let text = JSONWriter.object(capacity: 128) { event in
      event.member("type", "request.comment")
      event.member("request_id", String(number))
      event.member("comment_id", String(SupportIDs.comment(comment, of: number)))
      event.member("public", true)
    }
    await comet.publish(text, on: SupportStreamChannel.of(number), to: Self.ownerName(requester))
  }

  /// Takes up what is owed after a restart, and what a kill may have kept somebody from knowing.
  func takeUp() async {
    await configured()
    for (user, identifier) in index.superseded {
      await users[String(user)]?.post(.endDevices(identifiers: [identifier], .moved, app: nil))
    }
  }

  // MARK: Duties

  private func perform(_ duty: SupportDuty, of request: Entity<SupportRequest>, _ number: Int64) async {
    let id = PushID(producer: Self.prefix + request.id.key, number: duty.number)
    switch duty.kind {
    case .notify(let comment, let part): await notify(comment, part, id, of: request, number)
    case .report(let report, let comment): await self.report(report, comment, id, of: request, number)
    case .keepFiles(let comment):
      let tokens = await request.peek { $0[comment: comment]?.attachments.map(\.token) ?? [] }
      keep(tokens, for: id, of: request)
    }
  }

  private func notify(
    _ comment: Int, _ part: SupportPartDraft, _ id: PushID, of request: Entity<SupportRequest>, _ number: Int64
  ) async {
    let known = await request.peek { request in request.terms.map { ($0, request[comment: comment]) } }
    guard let (terms, found) = known, let comment = found, let app = terms.app, let settings = self.app(app),
      settings.integration == part.integration
    else {
      // Erased, or the app has another integration by now: its devices are to register again. Spec: 3.4.
      dispatcher.metrics.skipped(type: SupportCourier.type)
      return await dispatcher.producers.accepted(id)
    }
    let values = SupportTemplateValues(
      agent: index[user: comment.author]?.identity.map { name(of: $0) } ?? "Agent", comment: comment.body,
      subject: terms.subject, ticket: String(number))
    let texts = settings.texts(values, language: part.language)
    guard part.integration != .direct else {
      return await push(texts, part, id, settings, to: terms.requester, ticket: String(number))
    }
    let target = PushAddress(type: SupportCourier.type, deviceID: String(terms.requester), provider: app)
    metrics.planned(part.integration)
    _ = await dispatcher.enqueue(
      PushMessage(
        producer: id.producer, number: id.number, tag: Self.tag, alert: "",
        content: SupportNotification(
          integration: part.integration, devices: part.devices, title: texts.title, body: texts.body,
          ticket: String(number)
        ).bytes, service: app, target: target, attemptsMaximum: dispatcher.limits.supportAttemptsMaximum,
        expiry: expiry(target), owner: Self.ownerName(terms.requester)))
  }

  /// Our own couriers: a push of the device's own. Spec: support requests 6.1.
  private func push(
    _ texts: (title: String, body: String), _ part: SupportPartDraft, _ id: PushID, _ settings: SupportAppSettings,
    to user: Int64, ticket: String
  ) async {
    let device = await users[String(user)]?.peek { user in part.devices.first.flatMap { user[device: $0] } }
    guard let device = device ?? nil, device.isLive, index.owner(of: device.key)?.user == user,
      let target = settings.directAddress(of: device.key, locale: device.locale)
    else {
      dispatcher.metrics.skipped(type: SupportCourier.type)
      return await dispatcher.producers.accepted(id)
    }
    metrics.planned(.direct)
    let isApple = device.platform == .ios
    let compact = Self.prefix(of: texts.body, bytes: dispatcher.limits.supportCompactBytes)
    var display = PushDisplay()
    display.title = texts.title
    display.body = texts.body
    display.sound = "default"
    display.threadID = "ticket-" + ticket
    display.isMutableContent = true
    _ = await dispatcher.enqueue(
      PushMessage(
        producer: id.producer, number: id.number, tag: Self.tag, alert: "",
        content: SupportNotification.keys(ticket: ticket, texts: isApple ? nil : texts),
        compactContent: isApple ? nil : SupportNotification.keys(ticket: ticket, texts: (texts.title, compact)),
        service: settings.clientID, target: target, attemptsMaximum: dispatcher.limits.supportAttemptsMaximum,
        expiry: expiry(target), display: isApple ? display : nil, form: .members,
        owner: Self.ownerName(user), registeredAt: device.updatedAt))
  }

  /// What fits of a text, in whole characters.
  private static func prefix(of text: String, bytes: Int) -> String {
    var (end, left) = (text.startIndex, bytes)
    while end < text.endIndex, text[end].utf8.count <= left {
      left -= text[end].utf8.count
      end = text.index(after: end)
    }
    return end == text.endIndex ? text : text[..<end] + "…"
  }

  private func expiry(_ target: PushAddress) -> Timestamp {
    let seconds =
      dispatcher.pushOptions(target, tag: Self.tag).ifSet(DeliveryOptions.keys.secondsToLive)
      ?? dispatcher.limits.supportPushSecondsDefault
    return context.time.now.advanced(by: .seconds(seconds))
  }

  /// The hand-off to another helpdesk.
  private func report(
    _ report: SupportReport, _ comment: Int?, _ id: PushID, of request: Entity<SupportRequest>, _ number: Int64
  ) async {
    let found = await request.peek { request in
      SupportRequestView(request, number: number, for: .agent).map { ($0, comment.flatMap { request[comment: $0] }) }
    }
    guard let (view, comment) = found, options.current.support[SupportOptions.keys.eventsURL] != nil else {
      return await dispatcher.producers.accepted(id)
    }
    let target = PushAddress(type: SupportCourier.eventsType, deviceID: String(view.terms.requester))
    let content = SupportRendering.event(
      report, view, comment: comment, at: view.updatedAt, base: options.current[NodeOptions.keys.externalURLBase] ?? "")
    _ = await dispatcher.enqueue(
      PushMessage(
        producer: id.producer, number: id.number, tag: Self.eventTag, alert: "", content: content,
        service: view.terms.app ?? "", target: target, attemptsMaximum: dispatcher.limits.supportAttemptsMaximum,
        expiry: expiry(target), owner: Self.ownerName(view.terms.requester)))
  }

  // MARK: Open streams

  /// Somebody who looks on has shown a comment. Spec: support requests 6.2.
  func acknowledged(user: Int64, request number: Int64, comment: Int, identifier: String) async -> SupportStreamRefusal?
  {
    let actor = SupportActor.endUser(number: user, app: "")
    guard let (request, _) = try? await known(number, for: actor) else { return .unknownRequest }
    guard await request.peek({ $0[comment: comment]?.isPublic == true }) else { return .unknownComment }
    guard let device = try? await device(identifier, of: actor) else { return .unknownDevice }
    do throws(TurnError<SupportRequestRejection>) {
      try await request.perform(.refreshed(comment: comment, device: device)) { _ in }
      return nil
    } catch {
      if case .rejected = error { return .unknownRequest }
      return .busy
    }
  }

  func mayFollow(user: Int64, request number: Int64) async -> Bool {
    (try? await known(number, for: .endUser(number: user, app: ""))) != nil
  }
}

extension SupportIdentity.Key {
  /// Nil for anyone but an agent.
  fileprivate var agentName: String? { if case .agent(let name) = self { name } else { nil } }
}
