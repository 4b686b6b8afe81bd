/**
 * The token of the server's start.  It comes once, behind the # of the address, which is never sent; it is kept where only
 * pages of this very port can read it (a cookie would go to every port of the host), and given with each request.
 */

const KEY = "outtake-token";
const IN_ADDRESS = /^#token=([\w-]+)$/;

/** What was found where nothing can be kept. */
let unkept: string | null = null;

/** Take the token out of the address, before anything else reads that. */
export function takeToken(): void {
  const found = IN_ADDRESS.exec(location.hash)?.[1];
  if (found === undefined) return;
  keepToken(found);
  history.replaceState(history.state, "", location.pathname + location.search);
}

/** From now on this is the token. */
export function keepToken(found: string): void {
  unkept = found;
  try {
    localStorage.setItem(KEY, found);
  } catch {
    // This tab has it, others have to be told by their own address.
  }
}

/** The token as the newest page of this server got it. */
export function token(): string | null {
  try {
    return localStorage.getItem(KEY) ?? unkept;
  } catch {
    return unkept;
  }
}

/** Call when another tab gets a new one; returns how to stop that. */
export function onNewToken(changed: () => void): () => void {
  const listen = (event: StorageEvent) => {
    if (event.key === KEY && event.newValue !== null) changed();
  };
  window.addEventListener("storage", listen);
  return () => window.removeEventListener("storage", listen);
}

/** As a header of a request; while the page is edited, the development server adds it. */
export function authorization(): Record<string, string> {
  const known = token();
  return known === null ? {} : { Authorization: `Bearer ${known}` };
}

/** As protocols of a socket: a page can set no header of one. */
export function protocols(): string[] {
  const known = token();
  return known === null ? ["outtake"] : ["outtake", `token.${known}`];
}

takeToken();
