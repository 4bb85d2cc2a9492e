import Testing

@testable import CarillonConfiguration

@Suite("Options of callback services")
struct CallbackOptionsTests {
  @Test("hours may be called as the operator likes, behind the beginning of their name")
  func families() throws {
    let loaded = try ConfigurationLoader.load(
      yaml: """
        service.office:
          _timezone: Europe/Berlin
          bh_regular: Mon-Fri 09:00-18:00
          bh_regular_weekend: Sat 10:00-14:00
          bh_holiday1: 12-25
          bh_additional_eve: 2026-12-24 09:00-13:00
        service.callback-voice:
          _business_hours_service: office
        """)
    #expect(loaded.sections["service.office"]?["bh_regular_weekend"] == "Sat 10:00-14:00")
    #expect(loaded.sections["service.office"]?.count == 5)
  }

  @Test(
    "what the request says may stand for what it decides",
    arguments: ["_wait_for_agent", "_call_direction", "_media_type", "_priority", "_snooze_duration", "_access_number"])
  func placeholders(option: String) throws {
    let loaded = try ConfigurationLoader.load(yaml: "service.a: { \(option): ' $field$ ' }")
    #expect(loaded.sections["service.a"]?[option] == "$field$")
  }

  @Test(
    "a wrong value is refused with its reason",
    arguments: [
      ("_media_type: fax", "option _media_type: must be one of voice, chat, not “fax”"),
      ("_wait_for_agent: $", "option _wait_for_agent: must be true or false, not “$”"),
      ("_wait_for_agent: $$", "option _wait_for_agent: must be true or false, not “$$”"),
      (
        "_request_time_bucket: $b$", "option _request_time_bucket: must be one of 5, 10, 15, 20, 30, 60, 120, not “$b$”"
      ),
      ("callback.max_days_ahead: 367", "option callback.max_days_ahead: must be an integer, 1 to 366, not “367”"),
      ("_timezone: Mars/Olympus", "option _timezone: must be a time zone, such as Europe/Berlin, not “Mars/Olympus”"),
      ("_timezone: ''", "option _timezone: must be a time zone, such as Europe/Berlin"),
      ("_business_hours_service: b", "option _business_hours_service: there is no section service.b"),
      ("bh_holidays: 13-45", "option bh_holidays: "),
      ("bh_regular1: Mo 9-5", "option bh_regular1: "),
      ("bh_additional: 2026-02-29 09:00-10:00", "option bh_additional: "),
      ("bh_special: 1", "option bh_special: unknown option"),
    ])
  func refused(line: String, complaint: String) {
    #expect {
      try ConfigurationLoader.load(yaml: "service.a:\n  \(line)", path: "c.yaml")
    } throws: { error in
      let text = "\(error)"
      let expected = "c.yaml:2: section service.a, " + complaint
      return complaint.hasSuffix(" ") ? text.hasPrefix(expected) && text.count > expected.count : text == expected
    }
  }
}
