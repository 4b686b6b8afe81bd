/** Paths of components as people say them. */

const GENERIC = new Set(["model", "code", "output", "input", "graph"]);

/** The short name of a component: its last part, after that of its owner where it says nothing alone. */
export function shortName(path: string): string {
  const parts = path.split("/").filter((part) => part !== "tools");
  const last = parts.at(-1) ?? path;
  const owner = parts.at(-2);
  const owned = path.includes("/tools/") || GENERIC.has(last);
  return owned && owner ? `${owner} · ${last}` : last;
}

/** Whose part a component is: the agent of a model or a tool, else the component itself. */
export function ownerOf(path: string): string {
  const tools = path.indexOf("/tools/");
  if (tools > 0) return path.slice(0, tools);
  const cut = path.lastIndexOf("/");
  return cut > 0 && GENERIC.has(path.slice(cut + 1)) ? path.slice(0, cut) : path;
}

/** A run as it is called in a list: its number, and its name where it has one; a fork without one by what was changed. */
export function runTitle({ run, name, changed }: { run: string; name: string; changed?: string }): string {
  const called = name || changed;
  return called ? `${run} ${called}` : run;
}
