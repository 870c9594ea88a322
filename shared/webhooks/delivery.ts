/**
 * Deliveries of the provider as the API lists them: one for each stored event, with its status and the records that it is
 * about. Forged deliveries are not stored; they are security events. Pure. docs/webhooks.md, "Deliveries".
 */
import * as z from "zod/mini";
import { cursorTime } from "../json/cursor-time.ts";
import { definedFields } from "../json/defined-fields.ts";
import { count, epochMs } from "../json/number-fields.ts";
import { RecordType } from "../records/record.ts";
import { SetAside } from "../records/set-aside.ts";
import { HOUR_MS } from "../terms/hours.ts";
import { type Outcome, outcomes } from "./webhook-event.ts";

export const deliveryStatuses = ["applied", "waiting", "failed", "set_aside", "ignored"] as const;
export type DeliveryStatus = (typeof deliveryStatuses)[number];

export const DeliveryQuery = z.object({
  status: z.optional(
    z
      .enum(deliveryStatuses, { error: `expected one of ${deliveryStatuses.join(", ")}` })
      .register(z.globalRegistry, { description: "Only deliveries with this status." }),
  ),
});

/** The last delivery of a page. Cursors of earlier versions have no partition: it was the first. */
export const DeliveryPosition = z.object({
  receivedAt: cursorTime,
  id: z.string(),
  partition: z._default(cursorTime, 0),
});
export type DeliveryPosition = z.output<typeof DeliveryPosition>;

const text = (description: string) => z.string().register(z.globalRegistry, { description });

const Change = z
  .object({
    type: RecordType,
    id: text("The provider's id of the object."),
    written: z.exactOptional(
      z.boolean().register(z.globalRegistry, {
        description:
          "Whether the event changed the record; false if the record was as new already, or the object was set aside. Absent until the event is processed.",
      }),
    ),
  })
  .register(z.globalRegistry, { id: "WebhookChange", description: "A record that an event of the provider is about." });

export const WebhookDelivery = z
  .object({
    id: text("The provider's id of the event."),
    type: text("The provider's type of the event."),
    status: z.enum(deliveryStatuses).register(z.globalRegistry, {
      description:
        "`applied`: processed. `waiting`: to be processed, perhaps again after a failure. `failed`: given up after its last try; it can be replayed. `set_aside`: an object of the event cannot be stored. `ignored`: the event has no meaning here, or belongs to another account or an earlier connection.",
    }),
    receivedAt: epochMs("when the event arrived first."),
    createdAt: epochMs("when the provider created the event; in whole seconds."),
    processedAt: z.exactOptional(epochMs("when its processing ended.")),
    replayedAt: z.exactOptional(epochMs("when it was last replayed.")),
    outcome: z.exactOptional(
      z.enum(outcomes).register(z.globalRegistry, {
        description: "The result of processing; `disconnected` if the event revoked the service's permission.",
      }),
    ),
    attempts: z.exactOptional(count("Tries since the event was last handed over.")),
    error: z.exactOptional(text("Why the last try failed, or why an object was set aside.")),
    changes: z.array(Change),
  })
  .register(z.globalRegistry, {
    id: "WebhookDelivery",
    description: "An event that the provider delivered by a webhook. It is kept for 30 days.",
  });
export type WebhookDelivery = z.output<typeof WebhookDelivery>;

const ObservedKeys = z.array(z.object({ type: RecordType, id: z.string() }));

/** The name of a record in `changed`. */
export const changeName = ({ type, id }: { type: RecordType; id: string }): string => `${type}#${id}`;

/** A stored event (webhook-event-store.ts), without the states of its observations. Times are epoch ms. */
export const StoredDelivery = z.object({
  id: z.string(),
  type: z.string(),
  createdSeconds: z.number(),
  observations: z.pipe(
    z.string(),
    z.transform((json: string) => ObservedKeys.parse(JSON.parse(json))),
  ),
  setAside: z.exactOptional(z.array(SetAside)),
  receivedAt: z.number(),
  handedOverAt: z.exactOptional(z.number()),
  processedAt: z.exactOptional(z.number()),
  outcome: z.exactOptional(z.enum(outcomes)),
  attempts: z.exactOptional(z.number()),
  attemptedAt: z.exactOptional(z.number()),
  failure: z.exactOptional(z.string()),
  failedAt: z.exactOptional(z.number()),
  changed: z.exactOptional(z.array(z.string())),
  replayId: z.exactOptional(z.string()),
  replayedAt: z.exactOptional(z.number()),
  pendingShard: z.exactOptional(z.string()),
  ttl: z.number(),
});
export type StoredDelivery = z.output<typeof StoredDelivery>;

const statusByOutcome = {
  applied: "applied",
  set_aside: "set_aside",
  unknown: "ignored",
  ignored: "ignored",
  disconnected: "applied",
} as const satisfies Record<Outcome, DeliveryStatus>;

/** The outcomes that a status stands for; empty for `waiting` and `failed`, which have no outcome. */
export const outcomesOf = (status: DeliveryStatus): readonly Outcome[] =>
  outcomes.filter((outcome) => statusByOutcome[outcome] === status);

/**
 * A try that ends with the function's crash leaves no mark. The tries take an hour, so an event without a sign of life for
 * twice that time is given up as well.
 */
const SILENT_MS = 2 * HOUR_MS;

/** @param now epoch ms. */
export const statusOf = (stored: StoredDelivery, now: number): DeliveryStatus => {
  const { outcome, pendingShard, failedAt, receivedAt, handedOverAt = 0, attemptedAt = 0 } = stored;
  if (outcome !== undefined) return statusByOutcome[outcome];
  // The hourly hand-over publishes it.
  if (pendingShard !== undefined) return "waiting";
  const isSilent = Math.max(receivedAt, handedOverAt, attemptedAt) + SILENT_MS <= now;
  return failedAt !== undefined || isSilent ? "failed" : "waiting";
};

const changesOf = ({ observations, setAside = [], outcome, changed }: StoredDelivery): WebhookDelivery["changes"] => {
  const observed = new Map(observations.map(({ type, id }) => [changeName({ type, id }), { type, id }]));
  const aside = new Map(setAside.map(({ type, name }) => [changeName({ type, id: name }), { type, id: name }]));
  return [...new Map([...observed, ...aside])].map(([name, key]) => ({
    ...key,
    ...(outcome !== undefined && changed !== undefined && { written: changed.includes(name) }),
  }));
};

/** @param now epoch ms. */
export const toDelivery = (stored: StoredDelivery, now: number): WebhookDelivery => {
  const { id, type, createdSeconds, receivedAt, processedAt, replayedAt, outcome, attempts, failure } = stored;
  return {
    id,
    type,
    status: statusOf(stored, now),
    receivedAt,
    createdAt: createdSeconds * 1_000,
    ...definedFields({ processedAt, replayedAt, outcome, attempts, error: failure }),
    changes: changesOf(stored),
  };
};
