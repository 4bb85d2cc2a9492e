import Foundation
import PackagePlugin

/// Has the files that a module serves written into one Swift file of it: all of them are inputs, so that a change of one
/// builds it anew. They lie in that module's folder, where the build also sees which ones there are: all that is in
/// `Pages`, or, where there is no such folder, the scripts and types beside the module's sources.
@main
struct EmbedPages: BuildToolPlugin {
  func createBuildCommands(context: PluginContext, target: any Target) throws -> [Command] {
    let pages = target.directoryURL.appending(path: "Pages")
    let hasPages = FileManager.default.fileExists(atPath: pages.path)
    let folder = hasPages ? pages : target.directoryURL
    let output = context.pluginWorkDirectoryURL.appending(path: "EmbeddedPages.swift")
    let all = FileManager.default
    let names =
      try hasPages
      ? all.subpathsOfDirectory(atPath: folder.path).filter { !isFolder(folder.appending(path: $0)) }
      : all.contentsOfDirectory(atPath: folder.path).filter { $0.hasSuffix(".js") || $0.hasSuffix(".ts") }
    return [
      .buildCommand(
        displayName: "Embedding the pages of \(target.name)", executable: try context.tool(named: "PageEmbedder").url,
        arguments: [folder.path, output.path] + names.sorted(),
        inputFiles: names.sorted().map { folder.appending(path: $0) }, outputFiles: [output])
    ]
  }

  private func isFolder(_ file: URL) -> Bool {
    var isFolder: ObjCBool = false
    return FileManager.default.fileExists(atPath: file.path, isDirectory: &isFolder) && isFolder.boolValue
  }
}
