import { customerWrites } from "./customers.ts";
import { invoiceWrites } from "./invoices.ts";
import { paymentWrites } from "./payments.ts";
import { subscriptionWrites } from "./subscriptions.ts";
import { webhookEndpointWrites } from "./webhook-endpoints.ts";
import type { Write } from "./write.ts";

/** All operations of the provider's API that change something in the simulator. */
export const writes: readonly Write[] = [
  ...customerWrites,
  ...subscriptionWrites,
  ...invoiceWrites,
  ...paymentWrites,
  ...webhookEndpointWrites,
];

const routes = writes.map((write) => ({
  write,
  pattern: new RegExp(`^${write.route.replace("{id}", "([^/]+)")}$`),
}));

/** The operation of a request, and the id in its path. */
export const findWrite = (method: string, path: string): { write: Write; id: string } | undefined => {
  for (const { write, pattern } of routes) {
    const match = pattern.exec(`${method} ${path}`);
    if (match === null) continue;
    try {
      return { write, id: decodeURIComponent(match[1] ?? "") };
    } catch {
      return undefined;
    }
  }
  return undefined;
};
