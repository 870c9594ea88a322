import type { Service } from "./service.ts";

type Account = { accountId: string; apiKey: string };
type Shown = { accounts: { accountId: string; objects: Record<string, number> }[] };

/** The provider's types of which the service keeps records. */
const RECORDED = ["customer", "subscription", "invoice", "payment_intent", "refund", "dispute", "payout"];

/** The provider's simulator of a local cloud, driven over the control server. */
export const simulatedProvider = ({ stack }: Pick<Service, "stack">) => {
  const call = async <Answer>(method: string, path: string, body?: object): Promise<Answer> => {
    const response = await fetch(`${stack.controlUrl}${path.startsWith("/platform") ? "" : "/provider"}${path}`, {
      method,
      headers: { "content-type": "application/json" },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} /provider${path} answered ${response.status}: ${text}`);
    return JSON.parse(text) as Answer;
  };
  return {
    /** A new account with this many objects. */
    account: (objects: number, more: object = {}) => call<Account>("POST", "/accounts", { objects, ...more }),
    change: (accountId: string, change: object) =>
      call<{ objects: { id: string }[]; events: object[] }>("POST", "/changes", { accountId, ...change }),
    /** Adds an entry to an account's log of activity. */
    activity: (accountId: string, entry: object) => call<{ id: string }>("POST", "/activity", { accountId, ...entry }),
    /** Fails an account's requests until `recover`, or a given number of times. @returns the fault's id */
    fail: (accountId: string, fault: object) => call<{ id: number }>("POST", "/faults", { accountId, ...fault }),
    /** Ends one fault, or all of them. On a shared cloud name the fault: other files have faults too. */
    recover: (fault?: { id: number }) => call("DELETE", `/faults${fault === undefined ? "" : `?id=${fault.id}`}`),
    /** Sets the URL for an account's events and the faults of delivery. */
    webhooks: (accountId: string, endpoint: object) => call("POST", "/webhooks", { accountId, ...endpoint }),
    /** Sends all waiting deliveries now. */
    flush: () => call("POST", "/webhooks/flush"),
    /** Rotates secrets of the platform, at the simulator and in Secrets Manager at once; null removes one. */
    platform: (secrets: { secret?: string | null; webhookSecret?: string | null }) =>
      call("POST", "/platform", secrets),
    /** The number of an account's requests by path. */
    async requests(accountId: string): Promise<Record<string, number>> {
      const { requests } = await call<{ requests: Record<string, { byPath?: Record<string, number> }> }>("GET", "");
      return requests[accountId]?.byPath ?? {};
    },
    /** The number of an account's objects that the service keeps records of, by type. */
    async recorded(accountId: string): Promise<Record<string, number>> {
      const { accounts } = await call<Shown>("GET", "");
      const { objects = {} } = accounts.find((account) => account.accountId === accountId) ?? {};
      return Object.fromEntries(RECORDED.map((type) => [type, objects[type] ?? 0]));
    },
    show: () => call<Record<string, unknown>>("GET", ""),
  };
};
