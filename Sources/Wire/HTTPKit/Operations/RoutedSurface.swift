/// One part of what the server can be asked: operations that belong together, with what answers them.
package struct RoutedSurface<Routes: Sendable>: Sendable {
  /// As the description has it.
  package let description: APISurface
  private let operations: [Operation<Routes>]

  package init(
    _ name: String, _ about: String, _ operations: [Operation<Routes>], schemas: [(String, APISchema)] = []
  ) {
    description = APISurface(name, about, operations.map(\.description), schemas: schemas)
    self.operations = operations
  }

  private init(description: APISurface, operations: [Operation<Routes>]) {
    self.description = description
    self.operations = operations
  }

  /// The same surface of whoever has such routes.
  package func of<Whole: Sendable>(_ routes: @escaping @Sendable (Whole) -> Routes) -> RoutedSurface<Whole> {
    RoutedSurface<Whole>(description: description, operations: operations.map { $0.of(routes) })
  }

  /// This surface, with what another one has at its end: two capabilities answer for it.
  package func and(_ other: RoutedSurface) -> RoutedSurface {
    RoutedSurface(
      description: APISurface(
        description.name, description.about, description.operations + other.description.operations,
        schemas: description.schemas + other.description.schemas),
      operations: operations + other.operations)
  }

  /// What goes into a router.
  package func bound(to routes: Routes) -> [BoundOperation] {
    operations.compactMap { operation in
      operation.bind.map { bind in
        BoundOperation(
          method: operation.description.method, path: operation.description.routerPath, route: bind(routes))
      }
    }
  }
}
