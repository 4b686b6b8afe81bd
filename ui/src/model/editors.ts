/** Where a line of the program's source is opened: by an address that an editor of this computer has registered. */

export interface Editor {
  name: string;
  /** An address with {path} and {line}; nothing where sources are no links. */
  address: string;
}

export const EDITORS: readonly Editor[] = [
  { name: "VS Code", address: "vscode://file{path}:{line}" },
  { name: "Cursor", address: "cursor://file{path}:{line}" },
  { name: "Zed", address: "zed://file{path}:{line}" },
  { name: "PyCharm", address: "pycharm://open?file={path}&line={line}" },
  { name: "nothing", address: "" },
];

/** The address that opens a line in an editor; null where it is no whole path, or sources are no links. */
export function sourceAddress(template: string, path: string, line = 1): string | null {
  const whole = path.replaceAll("\\", "/");
  const rooted = /^[a-zA-Z]:\//.test(whole) ? `/${whole}` : whole;
  if (!rooted.startsWith("/") || !isAddress(template)) return null;
  const escaped = rooted.split("/").map(encodeURIComponent).join("/");
  return template.replaceAll("{path}", escaped).replaceAll("{line}", String(line));
}

/** Whether somebody may have this as the address of an editor: none that a browser would execute or show itself. */
export function isAddress(template: string): boolean {
  return /^[a-z][a-z0-9+.-]*:/.test(template) && !/^(javascript|data|blob|file|about|https?|vbscript):/.test(template);
}
