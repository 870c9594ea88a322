/** What the overview knows of the organization, and what needs attention. Types only. */
import type {
  Alert,
  AlertCounts,
  Connection,
  Destination,
  DetectionRule,
  OrganizationStats,
  SecurityEvent,
  SyncRun,
  WebhookDelivery,
} from "../../api/types.ts";

export type Attention = {
  tone: "bad" | "warn";
  /** In a few words, for the sentence at the top. */
  what: string;
  /** In one sentence. */
  text: string;
  action: { href: string; text: string };
};

/** What the API has answered so far. */
export type Known = {
  connection?: Connection | undefined;
  circuit?: OrganizationStats | undefined;
  /** Newest first. */
  runs?: readonly SyncRun[] | undefined;
  /** The first page of the deliveries that failed. */
  failedWebhooks?: { items: readonly WebhookDelivery[]; next: string | undefined } | undefined;
  alertCounts?: AlertCounts | undefined;
  /** The newest open alerts, if there are some. */
  openAlerts?: readonly Alert[] | undefined;
  /** The newest event of the gravest open alert. */
  newestEvent?: SecurityEvent | undefined;
  /** The newest changes of the last week by which destinations get fewer alerts; null if the user may not see them. */
  silencings?: readonly Pick<SecurityEvent, "metadata">[] | null | undefined;
  /** Null if the user may not see them. */
  destinations?: readonly Destination[] | null | undefined;
  /** The built-in rules of detection; null if the user may not see them. */
  rules?: readonly DetectionRule[] | null | undefined;
};
