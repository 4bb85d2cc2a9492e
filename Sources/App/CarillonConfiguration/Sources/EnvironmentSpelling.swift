/// How options are spelled as environment variables.
///
/// `CARILLON_`, the section, `_`, the option; upper case; an underscore where a capital follows a small letter; every
/// character that is not a letter or digit becomes an underscore:
/// `push` / `pushEnabled` is `CARILLON_PUSH_PUSH_ENABLED`,
/// `service.request-chat` / `_ttl` is `CARILLON_SERVICE_REQUEST_CHAT__TTL`.
///
/// That names the options of the fixed sections and of those that the file names. Any other is written whole:
/// every variable whose name begins with `CARILLON_SET_` holds one `section/option=value`.
public enum EnvironmentSpelling {
  public static let prefix = "CARILLON_"
  public static let setPrefix = "CARILLON_SET_"
  /// Names the configuration file.
  public static let file = "CARILLON_CONFIG"
  /// The token of the commands that talk to a running server.
  public static let token = "CARILLON_TOKEN"

  public static func variable(section: String, option: String) -> String {
    prefix + spelled(section) + "_" + spelled(option)
  }

  /// Variables that a container platform sets by itself for a service that is called `carillon`.
  static func isForeign(_ variable: String) -> Bool {
    let rest = variable.dropFirst(prefix.count)
    if rest == "SERVICE_HOST" || rest == "SERVICE_PORT" || rest.hasPrefix("SERVICE_PORT_") { return true }
    return rest == "PORT" || (rest.hasPrefix("PORT_") && rest.dropFirst(5).first?.isNumber == true)
  }

  /// The library's own rule, restated because a table of all names needs it.
  private static func spelled(_ name: String) -> String {
    var result = ""
    var previous: Character?
    for character in name {
      if let previous, previous.isLowercase, character.isUppercase { result.append("_") }
      if character.isLetter || character.isNumber {
        result.append(contentsOf: character.uppercased())
      } else {
        result.append("_")
      }
      previous = character
    }
    return result
  }
}
