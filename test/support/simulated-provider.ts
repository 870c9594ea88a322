import type { ServiceUnderTest } from "./service.ts";

type Account = { accountId: string; apiKey: string };

/** The provider's simulator of a local cloud, driven as a developer would: by the control server. */
export const simulatedProvider = ({ stack }: Pick<ServiceUnderTest, "stack">) => {
  const call = async <Answer>(method: string, path: string, body?: object): Promise<Answer> => {
    const response = await fetch(`${stack.controlUrl}/provider${path}`, {
      method,
      headers: { "content-type": "application/json" },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} /provider${path} answered ${response.status}: ${text}`);
    return JSON.parse(text) as Answer;
  };
  return {
    /** An account of its own, with so many objects. */
    account: (objects: number, more: object = {}) => call<Account>("POST", "/accounts", { objects, ...more }),
    change: (accountId: string, change: object) =>
      call<{ objects: { id: string }[]; events: object[] }>("POST", "/changes", { accountId, ...change }),
    /** Fails requests of an account until it recovers, or so many times. */
    fail: (accountId: string, fault: object) => call("POST", "/faults", { accountId, ...fault }),
    recover: () => call("DELETE", "/faults"),
    /** Where an account's events are sent, and how badly. */
    webhooks: (accountId: string, endpoint: object) => call("POST", "/webhooks", { accountId, ...endpoint }),
    /** Sends all that waits to be delivered, whenever it was due. */
    flush: () => call("POST", "/webhooks/flush"),
    /** How many requests an account got, by path. */
    async requests(accountId: string): Promise<Record<string, number>> {
      const { requests } = await call<{ requests: Record<string, { byPath?: Record<string, number> }> }>("GET", "");
      return requests[accountId]?.byPath ?? {};
    },
    show: () => call<Record<string, unknown>>("GET", ""),
  };
};
