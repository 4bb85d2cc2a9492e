/// The options of one capability, or of one side of it. Each stored property is an option, or several: to add one is to
/// write its key, and the schema lists them in the order in which they stand.
package protocol OptionTable: Sendable {
  init()
}

extension OptionTable {
  package static var options: [OptionSpecification] {
    Mirror(reflecting: Self()).children.flatMap { child in
      guard let declaration = child.value as? any OptionDeclaration else {
        preconditionFailure("\(Self.self).\(child.label ?? "") declares an option")
      }
      return declaration.specifications
    }
  }
}
