/** The one module that talks to the server: typed requests, and sockets that come back after a lost connection. */

import createClient, { type Middleware } from "openapi-fetch";

import { setEntry } from "./entry";
import type { Error as Refusal, Imported, paths } from "./schema";
import { authorization, protocols } from "./token";

/** What is tried again later, to be tried now. */
const waiting = new Set<() => void>();

/** Try again now what was lost. */
export function reconnect(): void {
  for (const retry of waiting) retry();
}

/** What the server answered instead: the reason is for people. */
export class ApiError extends Error {
  constructor(
    readonly code: Refusal["code"] | "unreachable",
    message: string,
    readonly schema: unknown = null,
  ) {
    super(message);
  }
}

const problems: Middleware = {
  onRequest({ request }) {
    for (const [name, value] of Object.entries(authorization())) request.headers.set(name, value);
    return request;
  },
  async onResponse({ response }) {
    if (response.ok) {
      setEntry("in");
      return undefined;
    }
    if (response.status === 401) setEntry("out");
    throw await refusal(response);
  },
  onError() {
    return new ApiError("unreachable", "the server does not answer: is `outtake serve` still running?");
  },
};

async function refusal(response: Response): Promise<ApiError> {
  const said = (await response.json().catch(() => null)) as { error?: Refusal } | null;
  const error = said?.error;
  return error
    ? new ApiError(error.code, error.message, error.schema)
    : new ApiError("error", `the server answered ${response.status}`);
}

export const api = createClient<paths>({ baseUrl: location.origin });
api.use(problems);

/** The answer of a request that has one; errors were thrown before. */
export async function got<T>(asked: Promise<{ data?: T }>): Promise<T> {
  const { data } = await asked;
  return data as T;
}

/** `locked`: the server was started again, and lets in who has its new token. */
export type Connection = "connecting" | "open" | "lost" | "locked" | "done";

export interface Followed<Event> {
  /** The path to open, asked anew before each attempt, so that it says from where to go on. */
  path: () => string;
  events: (events: Event[]) => void;
  connection: (state: Connection) => void;
}

const FIRST_WAIT = 250;
const LONGEST_WAIT = 5000;
const DONE = 1000;

/** Follow a socket of the server until it says that there is no more, or until the function that is returned is called. */
export function follow<Event>({ path, events, connection }: Followed<Event>): () => void {
  let socket: WebSocket | null = null;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let wait = FIRST_WAIT;
  let over = false;

  let told: Connection | null = null;
  const tell = (state: Connection) => {
    if (told !== state) connection((told = state));
  };
  const retry = () => {
    clearTimeout(timer);
    waiting.delete(retry);
    open();
  };

  const open = () => {
    // What is lost stays so until it is there again.
    if (told === null) tell("connecting");
    const address = new URL(path(), location.origin);
    address.protocol = address.protocol === "https:" ? "wss:" : "ws:";
    const opened = (socket = new WebSocket(address, protocols()));
    opened.onopen = () => {
      if (over) {
        opened.close();
        return;
      }
      wait = FIRST_WAIT;
      setEntry("in");
      tell("open");
    };
    opened.onmessage = (message) => {
      if (!over) events(JSON.parse(message.data as string) as Event[]);
    };
    opened.onclose = (closed) => {
      if (over) return;
      if (closed.code === DONE) {
        tell("done");
        return;
      }
      if (told !== "locked") tell("lost");
      void isLocked().then((locked) => {
        if (!over && told !== "open") tell(locked ? "locked" : "lost");
      });
      timer = setTimeout(retry, wait);
      waiting.add(retry);
      wait = Math.min(wait * 2, LONGEST_WAIT);
    };
  };

  open();
  return () => {
    over = true;
    clearTimeout(timer);
    waiting.delete(retry);
    // A browser complains of a socket that is closed before it is open: that one closes itself as soon as it is.
    if (socket?.readyState !== WebSocket.CONNECTING) socket?.close();
  };
}

/** Whether the server answers, but not to this page. */
async function isLocked(): Promise<boolean> {
  const answer = await fetch("/api/openapi.json", { method: "HEAD", headers: authorization() }).catch(() => null);
  if (answer?.status === 401) setEntry("out");
  return answer?.status === 401;
}

/** Whether the server answers to a token. */
export async function isLetIn(token: string): Promise<boolean> {
  const headers = { Authorization: `Bearer ${token}` };
  const answer = await fetch("/api/openapi.json", { method: "HEAD", headers }).catch(() => null);
  return answer?.ok === true;
}

/** The bytes of a run as a file. */
export async function exportFile(run: string): Promise<Blob> {
  const response = await asked(`/api/runs/${run}/export`, { headers: authorization() });
  return response.blob();
}

/** A run as a page that opens without a server. */
export async function shareFile(run: string): Promise<Blob> {
  const response = await asked(`/api/runs/${run}/share`, { headers: authorization() });
  return response.blob();
}

/** What is not JSON: the answer, or what was refused. */
async function asked(path: string, how: RequestInit): Promise<Response> {
  let response: Response;
  try {
    response = await fetch(path, how);
  } catch {
    throw new ApiError("unreachable", "the server does not answer: is `outtake serve` still running?");
  }
  if (!response.ok) throw await refusal(response);
  return response;
}

/** Bring runs in from a file. */
export async function importFile(file: File): Promise<Imported> {
  const response = await asked(`/api/import?${new URLSearchParams({ name: file.name })}`, {
    method: "POST",
    body: file,
    headers: { ...authorization(), "Content-Type": "application/octet-stream" },
  });
  return (await response.json()) as Imported;
}
