/** Sync runs in words: their states, what failed and what to do. Pure. */
import type { Permission } from "../../access.ts";
import type { SyncRun } from "../../api/types.ts";
import { formatDuration, plural, type Tone } from "../../words/format.ts";

export const statuses: Readonly<Record<SyncRun["status"], { tone: Tone; name: string }>> = {
  running: { tone: "accent", name: "Running" },
  succeeded: { tone: "good", name: "Succeeded" },
  failed: { tone: "bad", name: "Failed" },
  cancelled: { tone: "quiet", name: "Cancelled" },
};

export const isStatus = (text: string | undefined): text is SyncRun["status"] =>
  text !== undefined && Object.hasOwn(statuses, text);

export const modes: Readonly<Record<SyncRun["mode"], { name: string; text: string }>> = {
  incremental: {
    name: "Incremental",
    text: "Reads only what changed since the last run. Quick, and enough in most cases.",
  },
  full: {
    name: "Full",
    text: "Reads every object again and compares both sides. It finds what is missing, and takes longer: one request for each hundred objects.",
  },
};

export const triggers: Readonly<Record<SyncRun["trigger"], { name: string; text: string }>> = {
  scheduled: { name: "Schedule", text: "The schedule started it." },
  manual: { name: "By hand", text: "A user started it." },
  connection: { name: "New connection", text: "Connecting the account started it." },
  webhook_gap: { name: "Late webhook", text: "A webhook arrived late, so earlier ones may be missing." },
};

type Category = NonNullable<SyncRun["error"]>["category"];

/** `link`: the view that helps. */
type Advice = { why: string; what: string; link?: { href: string; text: string; needs: Permission } };

const connection = { href: "/console/connection", text: "Open Connection", needs: "status:read" } as const;
const breaker = { href: "/console/circuit-breaker", text: "Open Circuit breaker", needs: "status:read" } as const;

/** docs/sync.md, "Runs". */
export const advice: Readonly<Record<Category, Advice>> = {
  rate_limit: {
    why: "The provider limits the rate of requests.",
    what: "Nothing to do: the next run continues. If it repeats, other software uses the account at its limit.",
  },
  network: {
    why: "The provider could not be reached.",
    what: "Nothing to do: the next run continues. If it repeats, look at the provider’s status page.",
  },
  provider: {
    why: "The provider failed.",
    what: "Nothing to do: the next run continues. If it repeats, look at the provider’s status page.",
  },
  authentication: {
    why: "The provider rejects the credentials.",
    what: "Connect the account again.",
    link: connection,
  },
  authorization: {
    why: "The credentials lack a permission.",
    what: "Give the key the permissions that the connection’s page lists, or connect again.",
    link: connection,
  },
  validation: {
    why: "The provider rejects a request of this service.",
    what: "Report the run’s id to those who run the service.",
  },
  circuit_open: {
    why: "The circuit breaker refused the calls to the provider.",
    what: "Wait until it closes, or look who holds it open and why.",
    link: breaker,
  },
  connection: {
    why: "There is no connection, or it must be made again.",
    what: "Connect the account.",
    link: connection,
  },
  system: {
    why: "The service itself failed.",
    what: "Report the run’s id to those who run the service.",
  },
};

/** By the numbers of the error catalogue: why a run was not started. */
export const startAdvice = (code: number | undefined): Omit<Advice, "why"> | undefined => {
  switch (code) {
    case 40903:
      return { what: "Connect an account first.", link: connection };
    case 40904:
      return { what: "Only one run is under way at a time. Start another when it has ended." };
    case 50303:
      return { what: "The circuit breaker refuses calls to the provider at present.", link: breaker };
    default:
      return undefined;
  }
};

/** Records that changed, over all types. */
export const writtenInAll = ({ progress }: SyncRun): number =>
  Object.values(progress).reduce((sum, { written }) => sum + written, 0);

export const readInAll = ({ progress }: SyncRun): number =>
  Object.values(progress).reduce((sum, { read }) => sum + read, 0);

/** What a run found that webhooks had missed; undefined if it did not look. */
export const healedSentence = ({ healed }: Pick<SyncRun, "healed">): string | undefined => {
  if (healed === undefined) return undefined;
  return healed === 0
    ? "Webhooks had delivered every change."
    : `${plural(healed, "change")} that no webhook had delivered. This run found ${healed === 1 ? "it" : "them"}.`;
};

export const setAsideSentence = ({ setAside = 0 }: Pick<SyncRun, "setAside">): string | undefined =>
  setAside === 0
    ? undefined
    : `${plural(setAside, "object")} that cannot be stored as the provider sent ${setAside === 1 ? "it" : "them"}. All others are stored.`;

/** How long a run took, or has taken so far. @param now epoch milliseconds */
export const lastedInWords = (
  { startedAt, finishedAt }: Pick<SyncRun, "startedAt" | "finishedAt">,
  now: number,
): string =>
  finishedAt === undefined
    ? `${formatDuration(Math.max(1_000, now - startedAt))} so far`
    : formatDuration(finishedAt - startedAt);
