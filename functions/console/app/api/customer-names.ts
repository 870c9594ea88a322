/** Names of customers, for lists whose records have only the ids. Each is read once, those of a list together. */
import { signal } from "@preact/signals";
import { answer, api } from "./client.ts";
import { forgetWithAnswers } from "./resource.ts";

/** The API takes this many ids. */
const AT_ONCE = 50;

const names = signal<ReadonlyMap<string, string>>(new Map());
const asked = new Set<string>();
let queue: string[] = [];

forgetWithAnswers(() => {
  names.value = new Map();
  asked.clear();
  queue = [];
});

const read = async (ids: readonly string[]): Promise<void> => {
  const params = { path: { type: "customers" as const }, query: { ids: ids.join(","), limit: AT_ONCE } };
  try {
    const found = await answer(api.GET("/api/integrations/provider/records/{type}", { params }));
    const known = found.flatMap((customer) => {
      const name = customer.type === "customers" ? (customer.name ?? customer.email) : null;
      return name !== null && asked.has(customer.id) ? [[customer.id, name] as const] : [];
    });
    names.value = new Map([...names.value, ...known]);
  } catch {
    // The list shows the ids; a view that is opened later asks again.
    for (const id of ids) asked.delete(id);
  }
};

const readQueue = (): void => {
  for (; queue.length > 0; queue = queue.slice(AT_ONCE)) void read(queue.slice(0, AT_ONCE));
};

/** Asks for the name of a customer whom the caller may read. */
export const askCustomerName = (id: string): void => {
  if (asked.has(id)) return;
  asked.add(id);
  // The rows of a list ask one after the other, in one task.
  if (queue.length === 0) setTimeout(readQueue);
  queue.push(id);
};

/** Undefined until it is known, and for a customer without a name and an e-mail address. */
export const customerName = (id: string): string | undefined => names.value.get(id);
