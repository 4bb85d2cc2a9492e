import HTTPKit
import JSONEnvelope
import PushDomain
import PushEngine

extension CourierService.Order {
  /// - Throws: naming the member that cannot be used.
  init(_ body: JSONBody) throws(EdgeFailure) {
    self.init()
    display.title = try body.optionalText("title")
    display.subtitle = try body.optionalText("subtitle")
    display.body = try body.optionalText("body")
    display.sound = try body.optionalText("sound")
    display.image = try body.optionalText("image")
    display.threadID = try body.optionalText("threadId")
    display.category = try body.optionalText("category")
    display.interruptionLevel = try body.optionalText("interruptionLevel")
    display.pushType = try body.optionalText("pushType")
    display.badge = try body.optionalInteger("badge", in: 0...Int(Int32.max))
    display.isContentAvailable = try body.optionalBool("contentAvailable") ?? false
    display.isMutableContent = try body.optionalBool("mutableContent") ?? false
    collapseKey = try body.optionalText("collapseKey")
    if let seconds = try body.optionalInteger("timeToLive", in: 0...2_419_200) { timeToLive = .seconds(seconds) }
    switch try body.optionalText("priority") {
    case nil, "high": priority = .high
    case "normal": priority = .normal
    default: throw .badParameter("priority", "is not one of high, normal")
    }
    if let object = try body.optionalObject("data") { data = object.text }
  }
}
