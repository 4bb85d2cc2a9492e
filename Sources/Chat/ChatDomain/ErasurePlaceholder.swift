/// What stands where a customer's words and name stood before they were erased.
public enum ErasurePlaceholder {
  /// The state's codec stores it as a single bit (`ChatLineColumns`).
  public static let text = "[erased]"
}
