/** Names of customers, for lists whose records have only the ids. Each is read once, a few at a time. */
import { signal } from "@preact/signals";
import { answer, api } from "./client.ts";
import { forgetWithAnswers } from "./resource.ts";

const AT_ONCE = 6;

const names = signal<ReadonlyMap<string, string>>(new Map());
const asked = new Set<string>();
const queue: string[] = [];
let running = 0;

forgetWithAnswers(() => {
  names.value = new Map();
  asked.clear();
  queue.length = 0;
});

const readNext = async (): Promise<void> => {
  const id = running < AT_ONCE ? queue.shift() : undefined;
  if (id === undefined) return;
  running++;
  try {
    const params = { path: { type: "customers" as const }, query: { id } };
    const [found] = await answer(api.GET("/api/integrations/provider/records/{type}", { params }));
    const name = found?.type === "customers" ? (found.name ?? found.email) : null;
    if (name !== null && asked.has(id)) names.value = new Map([...names.value, [id, name]]);
  } catch {
    // The list shows the id; a view that is opened later asks again.
    asked.delete(id);
  } finally {
    running--;
    void readNext();
  }
};

/** Asks for the name of a customer whom the caller may read. */
export const askCustomerName = (id: string): void => {
  if (asked.has(id)) return;
  asked.add(id);
  queue.push(id);
  void readNext();
};

/** Undefined until it is known, and for a customer without a name and an e-mail address. */
export const customerName = (id: string): string | undefined => names.value.get(id);
