/** A provider with a history: objects that change several times per second, and their events. */
import type { Provider, ProviderEvent } from "../../../shared/provider/provider.ts";
import { ProviderError } from "../../../shared/provider/provider-error.ts";
import { parseProviderEvent } from "../../../shared/provider/stripe/events.ts";
import { parseObject } from "../../../shared/provider/stripe/objects.ts";
import type { ObjectDeleted, ObjectState, ObservedAt, PaymentLinked } from "../../../shared/records/observation.ts";
import type { RecordType } from "../../../shared/records/record.ts";
import { isSetAside } from "../../../shared/records/set-aside.ts";
import { eventTypes, finalStatus, render, type Shape, type SimulatedObject } from "./simulated-objects.ts";

/** An event in the wire format. */
export type WireEvent = { id: string; type: string; created: number; data: { object: Record<string, unknown> } };

/** Page size of lists; small, so that a run has many pages. */
const PAGE = 3;

const STARTED_AT = 1_795_000_000;

export type SimulatedProvider = ReturnType<typeof createSimulatedProvider>;

/** @param behindSeconds how far events are dated behind answers */
export const createSimulatedProvider = (random: () => number, behindSeconds = 0) => {
  const objects: SimulatedObject[] = [];
  const events: WireEvent[] = [];
  const clock = { seconds: STARTED_AT };
  const pick = <Item>(items: readonly Item[]): Item | undefined => items[Math.floor(random() * items.length)];
  const anyShape = (): Shape => (random() < 0.5 ? "old" : "basil");

  const happenedAt = () => clock.seconds - behindSeconds;

  const addEvents = (types: readonly string[], object: SimulatedObject): void => {
    for (const type of types) {
      const isAbout = type.startsWith("charge") || type.startsWith("refund");
      const shown = isAbout ? { id: `ch_${events.length}`, payment_intent: object.id } : render(object, anyShape());
      events.push({ id: `evt_${events.length}`, type, created: happenedAt(), data: { object: shown } });
    }
  };

  const create = (type: RecordType): void => {
    const id = `${type.slice(0, 3)}_${objects.length}`;
    const customer = pick(objects.filter((one) => one.type === "customers"))?.id ?? "cus_none";
    const rest = { created: clock.seconds, isDeleted: false, status: "open", link: null, value: objects.length };
    const object = { type, id, customer, ...rest };
    objects.push(object);
    addEvents(eventTypes[type].created, object);
  };

  const change = (object: SimulatedObject): void => {
    const { type } = object;
    const eventsOfKind = eventTypes[type];
    const dice = random();
    if (dice < 0.12 && eventsOfKind.deleted !== undefined) {
      // The event of a deletion has the last state of the object.
      addEvents(eventsOfKind.deleted, object);
      object.isDeleted = true;
      return;
    }
    // Often back to an earlier state: the same fields, observed later.
    object.value = random() < 0.6 ? 1 + Math.floor(random() * 2) : events.length + 2;
    const final = finalStatus[type];
    if (dice < 0.3 && eventsOfKind.final !== undefined && final !== undefined) {
      object.status = final;
      addEvents(eventsOfKind.final, object);
    } else addEvents(pick(eventsOfKind.changed) ?? [], object);
  };

  /** A payment of an invoice, also named by the invoice in the old format. */
  const link = (): void => {
    const invoice = pick(objects.filter((one) => one.type === "invoices" && one.link === null && !one.isDeleted));
    const payment = pick(objects.filter((one) => one.type === "payments" && one.link === null));
    if (invoice === undefined || payment === undefined) return;
    payment.link = invoice.id;
    invoice.link = payment.id;
    const shown = { id: `inpay_${events.length}`, invoice: invoice.id, status: "paid" };
    const data = { object: { ...shown, payment: { type: "payment_intent", payment_intent: payment.id } } };
    events.push({ id: `evt_${events.length}`, type: "invoice_payment.paid", created: happenedAt(), data });
  };

  const isOver = ({ type, status, isDeleted }: SimulatedObject) => isDeleted || status === finalStatus[type];

  const missing = () =>
    new ProviderError("There is no such object.", {
      kind: "validation",
      outcome: "success",
      isRetryable: false,
      reason: "missing",
      status: 400,
    });

  /** A page of a list, newest first. */
  const pageOf = <Item extends { id: string }>(items: readonly Item[], after: string | undefined) => {
    const start = after === undefined ? 0 : items.findIndex(({ id }) => id === after) + 1;
    if (after !== undefined && start === 0) throw missing();
    const page = items.slice(start, start + PAGE);
    return { items: page, next: start + PAGE < items.length ? page.at(-1)?.id : undefined };
  };

  const newestFirst = <Item extends { created: number }>(items: readonly Item[]): Item[] =>
    [...items].reverse().sort((a, b) => b.created - a.created);

  const linkOf = ({ id, link }: SimulatedObject, observedAt: ObservedAt): PaymentLinked[] =>
    link === null ? [] : [{ kind: "linked", type: "payments", id, invoiceId: link, observedAt }];

  return {
    objects,
    events,
    clock,

    /** Makes a change. @returns its events */
    happen(): readonly WireEvent[] {
      const before = events.length;
      const dice = random();
      const types = ["customers", "subscriptions", "invoices", "payments"] as const;
      const object = pick(objects.filter((one) => !isOver(one)));
      if (object === undefined || dice < 0.25) create(pick(types) ?? "customers");
      else if (dice < 0.35) link();
      else change(object);
      return events.slice(before);
    },

    /** The provider port. Each method answers at once; `observedAt` is the current time. */
    at: (observedAt: ObservedAt): Omit<Provider, "readAccount"> => ({
      async listObjects(type, { after, createdUntil = Number.POSITIVE_INFINITY }) {
        const live = objects.filter((one) => one.type === type && !one.isDeleted && one.created <= createdUntil);
        const page = pageOf(newestFirst(live), after);
        const items = page.items.map((object) => parseObject(type, render(object, "basil"), observedAt));
        return { ...page, items: items.filter((item): item is ObjectState => item.kind === "state") };
      },
      async readObject(type, id): Promise<ObjectState | ObjectDeleted> {
        const object = objects.find((one) => one.id === id);
        const found = object && parseObject(type, render(object, "basil"), observedAt);
        return found === undefined || isSetAside(found) ? { kind: "deleted", type, id, observedAt } : found;
      },
      async listPaymentLinks({ after }) {
        const paid = newestFirst(objects.filter((one) => one.type === "payments" && one.link !== null));
        const page = pageOf(paid, after);
        return { ...page, items: page.items.flatMap((object) => linkOf(object, observedAt)) };
      },
      async listEvents({ since = 0, after, limit = 100 }) {
        const page = pageOf(newestFirst(events.filter(({ created }) => created >= since)), after);
        const items = page.items.slice(0, limit).map((event) => parseProviderEvent(event, observedAt.to));
        return {
          ...page,
          items: items.filter((event): event is ProviderEvent => event !== undefined && !isSetAside(event)),
          observedAt,
        };
      },
    }),
  };
};
