/** What an erasure removes and has removed, in words. Pure. */
import type { Erasure } from "../../api/types.ts";

export const scopes: Readonly<Record<Erasure["scope"], string>> = {
  all: "Everything of the organization",
  user: "One user’s data",
};

export const statuses = {
  requested: { name: "Requested", tone: "accent" },
  running: { name: "Running", tone: "accent" },
  completed: { name: "Completed", tone: "good" },
} as const satisfies Record<Erasure["status"], { name: string; tone: string }>;

/** The counts in the order in which they are shown. */
const COUNTS = [
  ["records", "Records of the provider deleted"],
  ["webhookEvents", "Stored webhook events deleted"],
  ["events", "Security events emptied of personal data"],
  ["alerts", "Alerts deleted or emptied"],
  ["reports", "Reports deleted"],
  ["detections", "Results of detection deleted or emptied"],
  ["other", "Other items deleted or emptied, of sync runs and of who changed what"],
] as const satisfies (readonly [keyof Erasure["removed"], string])[];

export const removedCounts = ({ removed }: Pick<Erasure, "removed">): { name: string; count: number }[] =>
  COUNTS.map(([key, name]) => ({ name, count: removed[key] }));

export const removedInAll = (erasure: Pick<Erasure, "removed">): number =>
  removedCounts(erasure).reduce((sum, { count }) => sum + count, 0);

/** What a request removes, what stays, by scope. */
export const effects = {
  all: {
    removed: [
      "All records, stored webhook events, reports and alerts are deleted.",
      "All security events lose users, addresses, devices and texts; their type, level and time stay for statistics.",
      "The account is disconnected, its credentials and webhook secrets are destroyed, and a running sync stops.",
    ],
    kept: [
      "Settings stay, with the IP allowlist.",
      "The fact of this erasure stays: who requested it, when it was completed, and how much was removed.",
    ],
  },
  user: {
    removed: [
      "The user’s id, sessions, addresses and devices are removed from security events and alerts.",
      "Texts in which the user’s id occurs are removed, in whatever place.",
      "Reports that name the user are deleted, and made again without the user.",
    ],
    kept: [
      "Records of the provider stay: they belong to customers, not to users.",
      "The connection and the settings stay, and syncing goes on.",
      "The fact of this erasure stays: who requested it and when it was completed, without the user’s id.",
    ],
  },
} as const satisfies Record<Erasure["scope"], { removed: readonly string[]; kept: readonly string[] }>;

const utc = (at: number): string => new Date(at).toISOString();

/** The proof as plain text, to be kept or sent. Times are UTC, so that the text means the same everywhere. */
export const proofText = (erasure: Erasure, organizationId: string, eventId: string | undefined): string => {
  const { id, scope, status, requestedAt, requestedBy, dueAt, completedAt } = erasure;
  const facts: [string, string | undefined][] = [
    ["Erasure", id],
    ["Organization", organizationId],
    ["Erased", scopes[scope]],
    ["Status", statuses[status].name],
    ["Requested", `${utc(requestedAt)} by ${requestedBy}`],
    ["Due", utc(dueAt)],
    ["Completed", completedAt === undefined ? undefined : utc(completedAt)],
    ["Security event", eventId],
    ...removedCounts(erasure).map(({ name, count }): [string, string] => [name, String(count)]),
  ];
  return facts.flatMap(([name, value]) => (value === undefined ? [] : `${name}: ${value}`)).join("\n");
};
