import { setTimeout as sleep } from "node:timers/promises";
import type { Service } from "./service.ts";

export const PROVIDER = "/api/integrations/provider";

export type Run = {
  id: string;
  trigger: string;
  mode: string;
  status: string;
  progress: Record<string, { read: number; written: number }>;
  completeness?: Record<string, { listed: number; stored: number; onlyListed: string[]; onlyStored: string[] }>;
  error?: { category: string; message: string };
};
export type SecurityEvent = { eventType: string; action: string; userId?: string; timestamp: number } & Record<
  string,
  unknown
>;

/** Most conditions come true in seconds; this leaves time for a busy machine. */
const PATIENCE_MS = 240_000;
const MAX_PAUSE_MS = 400;
/** The longest life of a token that the service accepts. */
const A_DAY_S = 86_400;

/** Asks repeatedly until there is an answer. @throws Error that names the condition */
export const eventually = async <Answer>(
  what: string,
  ask: () => Promise<Answer | undefined | false>,
): Promise<Answer> => {
  const until = performance.now() + PATIENCE_MS;
  // Asking too often slows down the service that does the work.
  for (let pauseMs = 50; ; pauseMs = Math.min(2 * pauseMs, MAX_PAUSE_MS)) {
    const answer = await ask();
    if (answer !== undefined && answer !== false) return answer;
    if (performance.now() > until) throw new Error(`Timed out waiting until ${what}`);
    await sleep(pauseMs);
  }
};

/** Requests of one organization's users; by default of an administrator. */
export const organizationOf = (service: Service, organizationId: string) => {
  const as = (claims: object = {}) => service.mint({ organizationId, role: "admin", userId: "ada", ...claims });
  const tokens = new Map<string, Promise<string>>();
  /** One token for all calls with the same claims, until the clock moves. */
  const tokenOf = (claims: object = {}): Promise<string> => {
    const key = `${service.advances()} ${JSON.stringify(claims)}`;
    const known = tokens.get(key) ?? as(claims);
    tokens.set(key, known);
    return known;
  };
  const call = async (method: string, path: string, body?: object, claims?: object, headers?: Record<string, string>) =>
    service.request(method, path.startsWith("/") ? path : `${PROVIDER}/${path}`, {
      token: await tokenOf(claims),
      body: body && JSON.stringify(body),
      ...(headers && { headers }),
    });
  const runs = async (): Promise<Run[]> => {
    // While the clock moves by an hour, the work that this causes goes on: a token of an hour would expire.
    const { status, text, body } = await call("GET", "sync", undefined, { expiresInSeconds: A_DAY_S });
    if (status !== 200) throw new Error(`GET sync answered ${status}: ${text}`);
    return body as Run[];
  };
  return {
    organizationId,
    as,
    call,
    runs,
    connect: (apiKey: string, more: object = {}) => call("PUT", "connection", { method: "api_key", apiKey, ...more }),
    /** Waits until the newest run has ended. */
    lastRun: () =>
      eventually("the last run has ended", async () => {
        const [last] = await runs();
        return last !== undefined && last.status !== "running" && last;
      }),
    /** Starts a run and waits until it has ended. */
    async sync(body?: object): Promise<Run> {
      const started = await call("POST", "sync", body);
      if (started.status !== 202) throw new Error(`POST sync answered ${started.status}: ${started.text}`);
      const { id } = started.body as Run;
      return eventually(`run ${id} has ended`, async () =>
        (await runs()).find((run) => run.id === id && run.status !== "running"),
      );
    },
    /** Newest first. */
    async events(filter = ""): Promise<SecurityEvent[]> {
      const { body } = await call("GET", `security?limit=1000${filter && `&${filter}`}`);
      return (body as { events: SecurityEvent[] }).events;
    },
    /** The items of a list, page by page. @param path with the page's size, such as `sync?limit=2` */
    async everyPage<Item>(path: string, claims?: object): Promise<Item[]> {
      const items: Item[] = [];
      for (let next: string | undefined = path; next !== undefined; ) {
        const page: Awaited<ReturnType<typeof call>> = await call("GET", next, undefined, claims);
        items.push(...(page.body as Item[]));
        next = page.next;
      }
      return items;
    },
    async records(type: string, query = "limit=1000") {
      const { body } = await call("GET", `records/${type}?${query}`);
      return body as ({ id: string; deleted: boolean } & Record<string, unknown>)[];
    },
  };
};
