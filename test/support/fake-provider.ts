/** An in-memory provider that implements the port: objects with their history, the event feed, faults and a separate clock. */

import type { Provider, ProviderEvent, ProviderPage } from "../../shared/provider/provider.ts";
import { PAGE_SIZE } from "../../shared/provider/provider.ts";
import type { ObjectDeleted, ObjectState, Observation } from "../../shared/records/observation.ts";
import { type RecordType, recordFields } from "../../shared/records/record.ts";
import type { SetAside } from "../../shared/records/set-aside.ts";
import { providerError } from "./provider-errors.ts";

type Living = { type: RecordType; id: string; createdAt: number; fields: Record<string, unknown> };

/** A call of the provider, as faults receive it. */
export type ProviderCall = { method: keyof Provider; type?: RecordType | undefined; after?: string | undefined };

export const providerErrors = {
  missing: () => providerError("missing"),
  unavailable: () => providerError("network", { kind: "provider", code: "api_error" }, "The provider failed."),
  refused: () => providerError("unauthorized", { code: "expired" }),
};

/** @param clock the provider's own clock, epoch milliseconds */
export const createFakeProvider = (clock: () => number, pageSize = PAGE_SIZE) => {
  const living = new Map<string, Living>();
  const events: ProviderEvent[] = [];
  const links = new Map<string, string>();
  const poisoned: SetAside[] = [];
  const calls: ProviderCall[] = [];
  let made = 0;
  let behind = 0;
  let fault: (call: ProviderCall) => Promise<void> | void = () => undefined;

  const seconds = () => Math.floor(clock() / 1_000);
  const keyOf = (type: RecordType, id: string) => `${type}#${id}`;

  const stateOf = ({ type, id, createdAt, fields }: Living, at: { from: number; to: number }): ObjectState =>
    ({ kind: "state", type, id, createdAt, fields: { ...fields }, observedAt: at }) as ObjectState;

  const dated = (observation: Observation): Observation => {
    const { from, to } = observation.observedAt;
    return { ...observation, observedAt: { from: from - behind, to: to - behind } };
  };
  const addEvent = (type: string, undated: readonly Observation[], isDeauthorization = false): void => {
    const observations = undated.map(dated);
    const createdSeconds = observations[0]?.observedAt.from ?? seconds() - behind;
    events.push({ id: `evt_${++made}`, type, createdSeconds, observations, isDeauthorization });
  };

  const now = () => ({ from: seconds(), to: seconds() });
  /** The time of an answer, which has whole seconds: it began in the second before, at the earliest. */
  const answered = () => ({ from: seconds() - 1, to: seconds() });

  const require = (type: RecordType, id: string): Living => {
    const object = living.get(keyOf(type, id));
    if (object === undefined) throw new Error(`The test's world has no ${keyOf(type, id)}`);
    return object;
  };

  const call = async (one: ProviderCall): Promise<void> => {
    calls.push(one);
    await fault(one);
  };

  const pageOf = <Item>(
    items: readonly Item[],
    idOf: (item: Item) => string,
    after: string | undefined,
    limit = pageSize,
  ): ProviderPage<Item> => {
    const start = after === undefined ? 0 : items.findIndex((item) => idOf(item) === after) + 1;
    if (after !== undefined && start === 0) throw providerErrors.missing();
    const page = items.slice(start, start + limit);
    const last = page.at(-1);
    return { items: page, next: start + limit < items.length && last !== undefined ? idOf(last) : undefined };
  };

  const provider: Provider = {
    async readAccount() {
      await call({ method: "readAccount" });
      return { accountId: "acct_1" };
    },
    async listObjects(type, { after, createdUntil }) {
      await call({ method: "listObjects", type, after });
      const objects = [...living.values()]
        .filter((object) => object.type === type)
        .reverse()
        .sort((a, b) => b.createdAt - a.createdAt)
        .filter((object) => createdUntil === undefined || Math.floor(object.createdAt / 1_000) <= createdUntil);
      const { items, next } = pageOf(objects, ({ id }) => id, after);
      const setAside = next === undefined ? poisoned.filter((one) => one.type === type) : [];
      return { items: items.map((object) => stateOf(object, answered())), next, setAside };
    },
    async readObject(type, id): Promise<ObjectState | ObjectDeleted> {
      await call({ method: "readObject", type });
      const object = living.get(keyOf(type, id));
      return object === undefined ? { kind: "deleted", type, id, observedAt: answered() } : stateOf(object, answered());
    },
    async listPaymentLinks({ after }) {
      await call({ method: "listPaymentLinks", after });
      const { items, next } = pageOf([...links], ([id]) => id, after);
      return {
        items: items.map(([id, invoiceId]) => ({
          kind: "linked",
          type: "payments",
          id,
          invoiceId,
          observedAt: answered(),
        })),
        next,
      };
    },
    async listEvents({ since = 0, after, limit }) {
      await call({ method: "listEvents", after });
      const feed = events
        .filter(({ createdSeconds }) => createdSeconds >= since)
        .reverse()
        .sort((a, b) => b.createdSeconds - a.createdSeconds);
      return { ...pageOf(feed, ({ id }) => id, after, limit), observedAt: answered() };
    },
  };

  return {
    provider,
    /** All calls so far. */
    calls,
    /** Runs before each call. If it throws, the call throws the same error. */
    onCall: (check: typeof fault) => {
      fault = check;
    },
    /** All living objects of a type. */
    ids: (type: RecordType): string[] => [...living.values()].filter((one) => one.type === type).map(({ id }) => id),
    fieldsOf: (type: RecordType, id: string) => require(type, id).fields,
    /** @param options.isSilent changes the object without an event */
    create(
      type: RecordType,
      fields: Record<string, unknown> = {},
      { isSilent = false, createdAt = clock() }: { isSilent?: boolean; createdAt?: number } = {},
    ): string {
      const id = `${type.slice(0, 2)}_${String(++made).padStart(6, "0")}`;
      const empty = Object.fromEntries(Object.keys(recordFields[type].shape).map((name) => [name, null]));
      const object = { type, id, createdAt: Math.floor(createdAt / 1_000) * 1_000, fields: { ...empty, ...fields } };
      living.set(keyOf(type, id), object);
      const second = object.createdAt / 1_000;
      if (!isSilent) addEvent(`${type}.created`, [stateOf(object, { from: second, to: second })]);
      return id;
    },
    update(type: RecordType, id: string, fields: Record<string, unknown>): void {
      const object = require(type, id);
      Object.assign(object.fields, fields);
      addEvent(`${type}.updated`, [stateOf(object, now())]);
    },
    remove(type: RecordType, id: string, { isSilent = false } = {}): void {
      living.delete(keyOf(type, id));
      if (!isSilent) addEvent(`${type}.deleted`, [{ kind: "deleted", type, id, observedAt: now() }]);
    },
    /** Adds an object that cannot be stored to the end of its list. @returns the means to correct the object */
    poison(one: SetAside): () => void {
      poisoned.push(one);
      return () => void poisoned.splice(poisoned.indexOf(one), 1);
    },
    /** Adds an event that names an object without its new state. */
    touch(type: RecordType, id: string): void {
      addEvent(`${type}.touched`, [{ kind: "touched", type, id, observedAt: now() }]);
    },
    link(paymentId: string, invoiceId: string): void {
      links.set(paymentId, invoiceId);
    },
    /** From now on, dates events this many seconds behind answers. */
    dateEventsBehind(seconds: number): void {
      behind = seconds;
    },
    deauthorize: () => addEvent("deauthorized", [], true),
    /** Events older than this leave the feed. */
    forgetEventsBefore(second: number): void {
      const kept = events.filter(({ createdSeconds }) => createdSeconds >= second);
      events.splice(0, events.length, ...kept);
    },
  };
};
