/** Requests to have data erased, as clients send and see them. Decisions: docs/erasure.md. */
import * as z from "zod/mini";
import { text } from "../json/text.ts";

/** Decisions: every identifier has at most so many characters. */
const USER_ID_MAX_CHARACTERS = 128;
const REASON_MAX_CHARACTERS = 512;

/** What goes: all of an organization's data, or what there is of one of its users. */
export const erasureScopes = ["all", "user"] as const;
export type ErasureScope = (typeof erasureScopes)[number];

export const erasureStatuses = ["requested", "running", "completed"] as const;

const reason = z.optional(text(1, REASON_MAX_CHARACTERS, "Why; it is shown until the erasure is completed."));

const EraseAll = z
  .object({
    scope: z.literal("all"),
    // Whoever names a user does not mean everything.
    userId: z
      .optional(z.undefined({ error: "expected none with the scope all" }))
      .register(z.globalRegistry, { override: { not: {} } }),
    reason,
  })
  .register(z.globalRegistry, { id: "EraseAll", description: "Erases everything but plants and settings." });

const EraseUser = z
  .object({
    scope: z.literal("user"),
    userId: text(1, USER_ID_MAX_CHARACTERS, "The user, as `sub` in tokens says it. It is forgotten with the rest."),
    reason,
  })
  .register(z.globalRegistry, { id: "EraseUser", description: "Erases what there is of a user." });

/** What POST …/erasure takes. */
export const ErasureRequest = z
  .discriminatedUnion("scope", [EraseAll, EraseUser], {
    error: ({ code, path }) =>
      code === "invalid_union" && path?.at(-1) === "scope"
        ? `expected one of ${erasureScopes.join(", ")}`
        : "expected an object with a scope",
  })
  .register(z.globalRegistry, { id: "ErasureRequest", description: "What is to be erased." });
export type ErasureRequest = z.output<typeof ErasureRequest>;

const time = (description: string) =>
  z
    .number()
    .register(z.globalRegistry, { description: `Epoch milliseconds: ${description}`, override: { type: "integer" } });
const count = (description: string) =>
  z.number().register(z.globalRegistry, { description, override: { type: "integer", minimum: 0 } });

/** How much went so far. */
export const Removed = z.object({
  records: count("Records deleted; 0 where a user is erased, as records are not of users."),
  webhookEvents: count("Stored events of the provider deleted."),
  events: count("Security events emptied of personal data."),
  alerts: count("Alerts deleted or emptied."),
  reports: count("Reports deleted."),
  detections: count("Judged hours, baselines and marks of detection deleted or emptied."),
  other: count("What else was deleted or emptied: of runs, and who changed what."),
});
export type Removed = z.output<typeof Removed>;

export const nothingRemoved: Removed = {
  ...{ records: 0, webhookEvents: 0, events: 0, alerts: 0, reports: 0, detections: 0, other: 0 },
};

/** An erasure as it is answered. Whose data it is about is in no answer. */
export const Erasure = z
  .object({
    id: z.string(),
    scope: z.enum(erasureScopes),
    status: z.enum(erasureStatuses),
    requestedAt: time("when it was asked for."),
    requestedBy: z.string().register(z.globalRegistry, { description: "The user who asked for it." }),
    dueAt: time("when it is completed at the latest."),
    completedAt: z.optional(time("since when a last look has found nothing more.")),
    reason: z.optional(z.string()),
    removed: Removed,
  })
  .register(z.globalRegistry, { id: "Erasure", description: "A request to erase data, and how far it is." });
export type Erasure = z.output<typeof Erasure>;

/** Decisions: never later than 30 days after the request. */
const DUE_AFTER_MS = 30 * 86_400_000;

/** @param requestedAt epoch ms. */
export const dueAtOf = (requestedAt: number): number => requestedAt + DUE_AFTER_MS;
