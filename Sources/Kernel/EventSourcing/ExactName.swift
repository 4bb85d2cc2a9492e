extension String {
  /// Whether both are the same bytes. To `==` they are equal already if they are canonically equivalent (`é` in one
  /// scalar and in two); names that apps give their data are not to be mixed up so.
  public func isNamed(_ name: String) -> Bool {
    // The first question is quick, and what it takes for different is.
    self == name && utf8.elementsEqual(name.utf8)
  }
}
