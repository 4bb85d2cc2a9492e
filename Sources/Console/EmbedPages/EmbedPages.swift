import Foundation
import PackagePlugin

/// Has the console's files written into one Swift file of the module that serves them: all of them are inputs, so that a
/// change of one builds it anew. They lie in that module's folder, where the build also sees which ones there are.
@main
struct EmbedPages: BuildToolPlugin {
  func createBuildCommands(context: PluginContext, target: any Target) throws -> [Command] {
    let folder = target.directoryURL.appending(path: "Pages")
    let output = context.pluginWorkDirectoryURL.appending(path: "EmbeddedPages.swift")
    let names = try FileManager.default.subpathsOfDirectory(atPath: folder.path).sorted()
    let files = names.map { folder.appending(path: $0) }.filter { file in
      var isFolder: ObjCBool = false
      return FileManager.default.fileExists(atPath: file.path, isDirectory: &isFolder) && !isFolder.boolValue
    }
    return [
      .buildCommand(
        displayName: "Embedding the console's pages", executable: try context.tool(named: "PageEmbedder").url,
        arguments: [folder.path, output.path], inputFiles: files, outputFiles: [output])
    ]
  }
}
