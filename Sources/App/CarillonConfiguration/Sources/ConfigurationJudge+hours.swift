import CallbackDomain
import Engine
import OptionKit

extension ConfigurationJudge {
  /// Opening hours that cannot be read, and services that are said to know them but do not exist. Spec: GMS 9.5.
  mutating func judgeHours() {
    for (section, options) in sections.sorted(by: { $0.key < $1.key }) {
      let hours = options.filter { BusinessHours.isOption($0.key) }.map { (name: $0.key, value: $0.value) }
      do throws(BusinessHoursError) {
        _ = try BusinessHours(options: hours)
      } catch {
        guard let origin = origins[section]?[error.option] else { continue }
        refuse(ConfigurationProblem(origin, section: section, option: error.option, reason: error.reason))
      }
      let key = CallbackOptions.keys.officeService
      guard let (service, origin) = value(of: key.name, in: section), !service.isEmpty,
        sections["service.\(service)"] == nil
      else { continue }
      refuse(
        ConfigurationProblem(
          origin, section: section, option: key.name,
          reason: "there is no section service.\(service)"))
    }
  }
}
