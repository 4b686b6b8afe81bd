/**
 * The style sheets of Mantine, with the rules of those components alone that are used: its sheets have the rules of all.
 * A component that is built names its classes (`m_` and a hash) in its own code; a class that no code names matches nothing.
 */

import { parse } from "postcss";
import type { Plugin } from "vite";

const CLASS = /\bm_[0-9a-z]+/g;

/** Puts `sheets` before all others into the page: whole while it is edited, with what is used when it is built. */
export function usedRules(sheets: readonly string[]): Plugin[] {
  return [
    {
      name: "outtake:used-rules",
      apply: "build",
      enforce: "post",
      generateBundle: {
        order: "post",
        async handler(_, bundle) {
          const page = bundle["index.html"];
          if (page?.type !== "asset") throw new Error("there is no page to put the style sheets into");
          const files = Object.values(bundle);
          const code = files.flatMap((file) => (file.type === "chunk" ? (file.code.match(CLASS) ?? []) : []));
          const used = new Set(code);
          const texts = sheets.map(async (sheet) => {
            const found = await this.resolve(sheet);
            if (found === null) throw new Error(`there is no style sheet ${sheet}`);
            return withoutUnused(await this.fs.readFile(found.id, { encoding: "utf8" }), used);
          });
          const source = (await Promise.all(texts)).join("\n");
          const made = this.getFileName(this.emitFile({ type: "asset", name: "mantine.css", source }));
          const link = `<link rel="stylesheet" crossorigin href="/${made}">`;
          page.source = String(page.source).replace(/<link rel="stylesheet"/, `${link}\n    $&`);
        },
      },
    },
    {
      name: "outtake:all-rules",
      apply: "serve",
      transformIndexHtml: () =>
        sheets.map((sheet) => ({
          tag: "link",
          attrs: { rel: "stylesheet", href: `/node_modules/${sheet}` },
          injectTo: "head-prepend",
        })),
    },
  ];
}

/** A style sheet without the rules that only hold for classes of Mantine's that nobody uses. */
export function withoutUnused(sheet: string, used: ReadonlySet<string>): string {
  const root = parse(sheet);
  root.walkRules((rule) => {
    const kept = rule.selectors.filter((selector) => (selector.match(CLASS) ?? []).every((name) => used.has(name)));
    if (kept.length === 0) rule.remove();
    else if (kept.length < rule.selectors.length) rule.selectors = kept;
  });
  root.walkAtRules((rule) => {
    if (rule.nodes?.length === 0) rule.remove();
  });
  return root.toString();
}
