import Foundation
import PackagePlugin

/// Adds `BoardTable.shipped` to a target: the boards of boards/*.yml, read by `board-table`.
///
/// If a file is changed, added or removed, the next build writes the table again. A wrong file
/// stops the build with its line, the field and what was expected.
@main
struct BoardTablePlugin: BuildToolPlugin {
  func createBuildCommands(context: PluginContext, target: Target) throws -> [Command] {
    let folder = context.package.directoryURL.appending(path: "boards")
    let files = try FileManager.default.contentsOfDirectory(
      at: folder, includingPropertiesForKeys: nil, options: .skipsHiddenFiles
    )
    .filter { $0.pathExtension == "yml" }
    .sorted { $0.path < $1.path }
    let output = context.pluginWorkDirectoryURL.appending(path: "BoardTable.swift")
    return [
      .buildCommand(
        displayName: "Writing the table of \(files.count) board files for \(target.name)",
        executable: try context.tool(named: "board-table").url,
        arguments: [output.path] + files.map(\.path),
        inputFiles: files, outputFiles: [output])
    ]
  }
}
