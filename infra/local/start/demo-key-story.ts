/**
 * The other incident of the demo organization: somebody is invited to its account at the provider, looks at its key and
 * changes it, and then a sync run is refused. The provider's log and the service's own refused call are one story.
 */
import * as z from "zod";
import type { RunningStack } from "../commands/stack-file.ts";
import { postJson, readAnswer } from "./post-json.ts";

const MALLORY = { type: "user", email: "mallory@example.com" };
const KEY = { type: "api_key", api_key: { id: "mk_1BrightBikes" } };
const INVITE = { type: "user_invite", user_invite: { invited_user_email: MALLORY.email, roles: ["developer"] } };

/** What the provider's log says. Without an actor, the account's owner did it. */
const ENTRIES = [
  { minutesAgo: 95, type: "user_invite_created", details: INVITE },
  { minutesAgo: 48, type: "api_key_viewed", actor: MALLORY, details: KEY },
  { minutesAgo: 41, type: "api_key_updated", actor: MALLORY, details: KEY },
];

/** The call and its repetition, after a read of the account has confirmed the key. The connection stays. */
const REFUSED_REQUESTS = 2;

const Control = z.object({ now: z.number(), schedules: z.array(z.object({ name: z.string() })) });

/**
 * Waits for the first sync run, which is not refused, and starts two more: the first is refused, the last succeeds.
 * @param token of an administrator of the organization.
 * @throws Error if a server refuses a request.
 */
export const actKeyStory = async ({ apiUrl, controlUrl }: RunningStack, accountId: string, token: string) => {
  const { now, schedules } = Control.parse(await readAnswer(await fetch(controlUrl)));
  for (const { minutesAgo, ...entry } of ENTRIES) {
    const occurredAt = now - minutesAgo * 60_000;
    await postJson(`${controlUrl}/provider/activity`, { accountId, occurredAt, ...entry });
  }
  // It asks for the account's activity, and answers when everything has ended that goes on.
  const hourly = schedules.find(({ name }) => name.endsWith("-resume-stalled-syncs"));
  await postJson(`${controlUrl}/schedules/${hourly?.name}`, {});
  const fault = { accountId, kind: "error", status: 401, pathPrefix: "/v1/events", times: REFUSED_REQUESTS };
  await postJson(`${controlUrl}/provider/faults`, fault);
  for (const run of ["refused", "accepted"]) {
    const headers = { authorization: `Bearer ${token}`, "idempotency-key": `demo-${run}` };
    await postJson(`${apiUrl}/api/integrations/provider/sync`, {}, headers);
    await postJson(`${controlUrl}/clock/advance`, { ms: 0 });
  }
};
