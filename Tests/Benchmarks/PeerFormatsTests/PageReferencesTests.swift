import PeerFormats
import Testing

@Suite("What a page leads to")
struct PageReferencesTests {
  @Test("are its scripts, style sheets, icon and manifest, not the pages that it links to")
  func page() {
    let page = """
      <!doctype html><head><title>href="./no.css"</title>
      <link rel="icon" href="./7f/icon.svg" type="image/svg+xml">
      <link rel="stylesheet" href="./7f/style.css">
      <script type="module" src="./7f/app.js"></script></head><a href="./other.html">src="./no.js"</a>
      """
    #expect(PageReferences.inPage(page) == ["./7f/icon.svg", "./7f/style.css", "./7f/app.js"])
  }

  @Test(
    "are what a module imports, made narrow or not",
    arguments: [
      "import { t } from './i18n.js';", "import{t}from './i18n.js';", "import{t}from'./i18n.js';",
      "export * from \"./i18n.js\";", "import './i18n.js';", "import\"./i18n.js\"",
    ])
  func module(text: String) { #expect(PageReferences.inModule(text) == ["./i18n.js"]) }

  @Test(
    "are not what is imported while it runs, nor other texts",
    arguments: [
      "import('./later.js')", "await import(`../i18n/${language}.js`)", "const words='from one to the other'", "from '",
      "import 'node:fs'", "",
    ])
  func none(text: String) { #expect(PageReferences.inModule(text) == []) }

  @Test("have a path that begins where the file stands")
  func path() {
    #expect(PageReferences.path(of: "./7f/app.js", in: "/console/") == "/console/7f/app.js")
    #expect(PageReferences.path(of: "../core/api.js", in: "/console/7f/ui/kit.js") == "/console/7f/core/api.js")
    #expect(PageReferences.path(of: "kit.js", in: "/console/7f/ui/parts.js") == "/console/7f/ui/kit.js")
    #expect(PageReferences.path(of: "/icon.svg", in: "/console/7f/app.js") == "/icon.svg")
    #expect(PageReferences.path(of: "../../../up.js", in: "/a.js") == "/up.js")
  }
}
