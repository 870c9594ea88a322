/** Requests to erase data, as clients send and see them. Decisions: docs/erasure.md. */
import * as z from "zod/mini";
import { count, epochMs } from "../json/number-fields.ts";
import { text } from "../json/text.ts";
import { DAY_MS } from "../terms/hours.ts";
import type { RemovedCounter } from "../work/location.ts";

/** Decisions: the maximum length of every identifier. */
const USER_ID_MAX_CHARACTERS = 128;
const REASON_MAX_CHARACTERS = 512;

/** All of an organization's data, or the data of one of its users. */
export const erasureScopes = ["all", "user"] as const;
export type ErasureScope = (typeof erasureScopes)[number];

export const erasureStatuses = ["requested", "running", "completed"] as const;

const reason = z.optional(text(1, REASON_MAX_CHARACTERS, "The reason; it is shown until the erasure is completed."));

const EraseAll = z
  .object({
    scope: z.literal("all"),
    // A request with a userId cannot mean all data.
    userId: z
      .optional(z.undefined({ error: "expected no userId with the scope all" }))
      .register(z.globalRegistry, { override: { not: {} } }),
    reason,
  })
  .register(z.globalRegistry, { id: "EraseAll", description: "Erases everything but plants and settings." });

const EraseUser = z
  .object({
    scope: z.literal("user"),
    userId: text(
      1,
      USER_ID_MAX_CHARACTERS,
      "The user's id: `sub` in tokens. It is deleted when the erasure completes.",
    ),
    reason,
  })
  .register(z.globalRegistry, { id: "EraseUser", description: "Erases the data of one user." });

/** The body of POST …/erasure. */
export const ErasureRequest = z
  .discriminatedUnion("scope", [EraseAll, EraseUser], {
    error: ({ code, path }) =>
      code === "invalid_union" && path?.at(-1) === "scope"
        ? `expected one of ${erasureScopes.join(", ")}`
        : "expected an object with a scope",
  })
  .register(z.globalRegistry, { id: "ErasureRequest", description: "The data to erase." });
export type ErasureRequest = z.output<typeof ErasureRequest>;

/** How much was removed so far. */
export const Removed = z.object({
  records: count("Records deleted; 0 for a user, because records do not belong to users."),
  webhookEvents: count("Stored events of the provider deleted."),
  events: count("Security events emptied of personal data."),
  alerts: count("Alerts deleted or emptied."),
  reports: count("Reports deleted."),
  detections: count("Judged hours, baselines and marks of detection deleted or emptied."),
  other: count("Other items deleted or emptied: of sync runs, and who changed what."),
} satisfies Record<RemovedCounter, unknown>);
export type Removed = z.output<typeof Removed>;

export const nothingRemoved: Removed = {
  records: 0,
  webhookEvents: 0,
  events: 0,
  alerts: 0,
  reports: 0,
  detections: 0,
  other: 0,
};

/** An erasure in answers. No answer names the user whose data is erased. */
export const Erasure = z
  .object({
    id: z.string(),
    scope: z.enum(erasureScopes),
    status: z.enum(erasureStatuses),
    requestedAt: epochMs("when it was requested."),
    requestedBy: z.string().register(z.globalRegistry, { description: "The user who requested it." }),
    dueAt: epochMs("when it is completed at the latest."),
    completedAt: z.optional(epochMs("when the last pass found no more data.")),
    reason: z.optional(z.string()),
    removed: Removed,
  })
  .register(z.globalRegistry, { id: "Erasure", description: "A request to erase data, and its progress." });
export type Erasure = z.output<typeof Erasure>;

/** Decisions: at most 30 days after the request. */
const DUE_AFTER_MS = 30 * DAY_MS;

/** @param requestedAt epoch ms. */
export const dueAtOf = (requestedAt: number): number => requestedAt + DUE_AFTER_MS;
