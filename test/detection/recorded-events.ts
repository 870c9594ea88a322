import { readFileSync } from "node:fs";
import * as z from "zod/mini";
import { SecurityEvent } from "../../shared/security/security-event.ts";

const Page = z.object({ events: z.array(SecurityEvent) });
const Recorded = z.union([z.array(SecurityEvent), Page]);
const Token = z.object({ access_token: z.string() });

const parsed = <Value>(schema: z.ZodMiniType<Value>, value: unknown, what: string): Value => {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  throw new Error(`${what}: ${z.prettifyError(result.error)}`);
};

/** @throws Error with a one-line message if the file cannot be read, or has no events. */
export const readRecordedFile = (path: string): SecurityEvent[] => {
  let content: unknown;
  try {
    content = JSON.parse(readFileSync(path, "utf8"));
  } catch (error) {
    throw new Error(`${path} cannot be read: ${error instanceof Error ? error.message : String(error)}`);
  }
  const recorded = parsed(Recorded, content, `${path} holds no list of security events`);
  return Array.isArray(recorded) ? recorded : recorded.events;
};

const reach = async (url: string, init?: RequestInit): Promise<Response> => {
  const response = await fetch(url, init).catch((error: unknown) => {
    throw new Error(`The local cloud does not answer: start it with npm start. (${String(error)})`);
  });
  if (response.ok) return response;
  throw new Error(`${url} answered ${response.status}: ${await response.text()}`);
};

/** `</path?cursor=…>; rel="next"`, made absolute. */
const nextOf = (response: Response): string | undefined => {
  const target = /<([^>]*)>;\s*rel="next"/.exec(response.headers.get("link") ?? "")?.[1];
  return target === undefined ? undefined : new URL(target, response.url).href;
};

/**
 * All events of an organization since a time (epoch ms), read from the running local cloud as an administrator.
 * @param onPage called with the number of events so far.
 */
export const readRecordedEvents = async (
  { apiUrl, issuerUrl }: { apiUrl: string; issuerUrl: string },
  organizationId: string,
  since: number,
  onPage: (events: number) => void,
): Promise<SecurityEvent[]> => {
  const minted = await reach(`${issuerUrl}/token`, {
    method: "POST",
    body: JSON.stringify({ organizationId, role: "admin", userId: "backtest" }),
  });
  const { access_token } = parsed(Token, await minted.json(), "The issuer answered no token");
  const events: SecurityEvent[] = [];
  const first = new URL(`${apiUrl}/api/integrations/provider/security`);
  first.search = new URLSearchParams({ since: String(Math.max(0, since)), limit: "1000" }).toString();
  for (let url: string | undefined = first.href; url !== undefined; ) {
    const response: Response = await reach(url, { headers: { authorization: `Bearer ${access_token}` } });
    events.push(...parsed(Page, await response.json(), `${url} answered no events`).events);
    onPage(events.length);
    url = nextOf(response);
  }
  return events;
};
