/** The address that a server printed when it was started, as somebody gives it to a page. */

export interface Given {
  token: string;
  /** Where the server is, if that is not where the page came from. */
  elsewhere: string | null;
}

/** What an address holds, or the token alone; null where it holds none. */
export function givenIn(text: string, here: string): Given | null {
  const said = text.trim();
  if (/^[\w-]{16,}$/.test(said)) return { token: said, elsewhere: null };
  const token = /[?&#]token=([\w-]+)/.exec(said)?.[1];
  if (token === undefined || !URL.canParse(said)) return null;
  const { origin, protocol } = new URL(said);
  if (protocol !== "http:" && protocol !== "https:") return null;
  return { token, elsewhere: origin === here ? null : origin };
}
