/** Whether the integration is well, and what needs attention first. Pure. */
import type { Destination, SecurityEvent, SyncRun } from "../../api/types.ts";
import { everyHours, formatAge, formatDuration, isOrAre, plural } from "../../words/format.ts";
import { ruleName } from "../alerts/words.ts";
import { BREAKER_PATH, stateOf, stateSentence } from "../circuit-breaker/state-words.ts";
import { RULES_PATH } from "../rules/rules-path.ts";
import { advice } from "../syncs/run-words.ts";
import type { Attention, Known } from "./known.ts";
import { alertNeeds, refusedConnectOf } from "./open-alerts.ts";

const HOUR = 60 * 60_000;
/** As the rule `sync_silence` of detection: this many intervals without a successful sync are too many. */
const SILENT_INTERVALS = 2;

const connectionNeeds = ({ connection }: Known): Attention[] => {
  if (connection === undefined || connection.status === "connected") return [];
  const { name } = connection.provider;
  const href = "/console/connection";
  return connection.status === "needs_reconnect"
    ? [
        {
          tone: "bad",
          what: "the account must be connected again",
          text: `${name} does not accept the stored credentials any more, so nothing is synced.`,
          action: { href, text: "Connect again" },
        },
      ]
    : [
        {
          tone: "warn",
          what: "no account is connected",
          text: `No account of ${name} is connected, so nothing is synced.`,
          action: { href, text: `Connect ${name}` },
        },
      ];
};

const circuitNeeds = ({ circuit }: Known, now: number): Attention[] => {
  if (circuit === undefined) return [];
  const state = stateOf(circuit);
  const whats = {
    closed: undefined,
    open: ["bad", "the circuit breaker is open"],
    half_open: ["warn", "the circuit breaker tests the provider"],
    forced_open: ["bad", "an administrator has stopped the integration"],
    forced_closed: ["warn", "an administrator holds the circuit breaker closed"],
  } as const;
  const found = whats[state];
  if (found === undefined) return [];
  const [tone, what] = found;
  return [
    { tone, what, text: stateSentence(circuit, now), action: { href: BREAKER_PATH, text: "Open Circuit breaker" } },
  ];
};

/** Why a run failed, as the end of a sentence. */
const reasonOf = ({ error }: SyncRun): string => {
  const why = error === undefined ? "The reason is not known." : advice[error.category].why;
  return `${why.charAt(0).toLowerCase()}${why.slice(1)}`;
};

const syncNeeds = ({ runs, connection, circuit }: Known, now: number): Attention[] => {
  const action = { href: "/console/syncs", text: "Open Syncs" };
  const last = runs?.find(({ status }) => status !== "running");
  const needs: Attention[] = [];
  if (last?.status === "failed" && connection?.status === "connected") {
    needs.push({
      tone: "bad",
      what: "the last sync failed",
      action,
      text: `The last sync failed ${formatAge(last.finishedAt ?? last.startedAt, now)}: ${reasonOf(last)}`,
    });
  }
  // While the circuit is open, no sync can succeed.
  if (connection?.status !== "connected" || circuit?.state === "open") return needs;
  const { lastSyncAt, connectedAt, syncIntervalHours } = connection;
  const since = lastSyncAt ?? connectedAt;
  if (since !== undefined && now - since > SILENT_INTERVALS * syncIntervalHours * HOUR) {
    needs.push({
      tone: "warn",
      what: "no sync has succeeded for long",
      action,
      text: `No sync has succeeded for ${formatDuration(now - since)}; one is due ${everyHours(syncIntervalHours)}.`,
    });
  }
  return needs;
};

const webhookNeeds = ({ failedWebhooks }: Known): Attention[] => {
  // A page may be empty and have a next one. That is no failure.
  if (failedWebhooks === undefined || failedWebhooks.items.length === 0) return [];
  const { items, next } = failedWebhooks;
  const deliveries = plural(items.length, "delivery", "deliveries");
  return [
    {
      tone: "warn",
      what: "deliveries of webhooks failed",
      text: `${next === undefined ? "" : "At least "}${deliveries} of webhooks failed and can be replayed.`,
      action: { href: "/console/webhooks?status=failed", text: "Look at the deliveries" },
    },
  ];
};

/** A destination that fails for this long is worth a note, before it is paused. */
const FAILING_MS = HOUR;

const destinationNeeds = ({ destinations }: Known, now: number): Attention[] => {
  const need = (
    tone: Attention["tone"],
    state: string,
    of: readonly Destination[],
    text: (names: string) => string,
  ): Attention[] => {
    if (of.length === 0) return [];
    const which = of.length === 1 ? "a destination" : plural(of.length, "destination");
    return [
      {
        tone,
        what: `${which} of notifications ${isOrAre(of.length)} ${state}`,
        text: text(of.map(({ name }) => name).join(", ")),
        action: { href: "/console/notifications", text: "Open Notifications" },
      },
    ];
  };
  const all = destinations ?? [];
  const lost = all.filter(({ pausedBecause }) => pausedBecause !== undefined && pausedBecause !== "user");
  const failing = all.filter(
    ({ status, failingSince }) => status === "active" && failingSince !== undefined && now - failingSince >= FAILING_MS,
  );
  return [
    ...need("bad", "paused", lost, (names) => {
      return `Alerts do not reach ${names}: the service paused ${lost.length === 1 ? "it" : "them"}.`;
    }),
    ...need("warn", "failing", failing, (names) => `No notification has reached ${names} for more than an hour.`),
  ];
};

const nameOf = ({ metadata }: Pick<SecurityEvent, "metadata">): string => {
  const { destinationName } = { destinationName: "a destination", ...Object(metadata) };
  return String(destinationName);
};

/** An attacker who silences the alarm may resolve its alert as well, so the changes are shown whatever became of it. */
const silencingNeeds = ({ silencings }: Known): Attention[] => {
  if (silencings === undefined || silencings === null || silencings.length === 0) return [];
  const names = [...new Set(silencings.map(nameOf))];
  return [
    {
      tone: "warn",
      what: "destinations get fewer alerts than before",
      text: `In the last 7 days, ${names.join(", ")} ${isOrAre(names.length)} paused, moved, deleted or narrowed.`,
      action: {
        href: "/console/events?period=7d&eventType=NOTIFICATIONS_CHANGED&riskLevel=HIGH",
        text: "Look at the changes",
      },
    },
  ];
};

/** Whatever became of its alert: an attacker may have resolved it. */
const ruleNeeds = ({ rules }: Known): Attention[] => {
  const off = (rules ?? []).filter(({ enabled }) => !enabled).map(({ rule }) => ruleName(rule));
  if (off.length === 0) return [];
  const which = off.length === 1 ? "a detection rule" : plural(off.length, "detection rule");
  return [
    {
      tone: "bad",
      what: `${which} ${isOrAre(off.length)} off`,
      text: `Detection does not look for: ${off.join(", ")}.`,
      action: { href: RULES_PATH, text: "Open Rules" },
    },
  ];
};

/** The most urgent first. @param now epoch milliseconds */
export const attentionOf = (known: Known, now: number): Attention[] => {
  const needs = [
    ...connectionNeeds(known),
    ...circuitNeeds(known, now),
    ...alertNeeds(known, now),
    ...syncNeeds(known, now),
    ...webhookNeeds(known),
    ...destinationNeeds(known, now),
    ...silencingNeeds(known),
    ...ruleNeeds(known),
  ];
  return [...needs.filter(({ tone }) => tone === "bad"), ...needs.filter(({ tone }) => tone === "warn")];
};

/** What needs attention, as a sentence. */
export const sentenceOf = (what: string): string => `${what.charAt(0).toUpperCase()}${what.slice(1)}.`;

export type Verdict = { tone: "good" | "warn" | "bad" | "quiet"; word: string; text: string };

type Seen = {
  /** Whether all parts that the user may see are known. */
  isComplete: boolean;
  /** Of a user who may not see alerts. */
  blindRole?: string | undefined;
};

/** Is it well? In one sentence, which claims nothing that the user may not see. */
export const verdictOf = (needs: readonly Attention[], { isComplete, blindRole }: Seen): Verdict => {
  const [first, ...others] = needs;
  if (first === undefined) {
    if (!isComplete) return { tone: "quiet", word: "Not known", text: "It is not known yet whether all is well." };
    return blindRole === undefined
      ? { tone: "good", word: "Well", text: "All is well: nothing needs your attention." }
      : {
          tone: "good",
          word: "Working",
          text: `Connection, circuit breaker, syncs and webhooks work. The role ${blindRole} may not see alerts and security events.`,
        };
  }
  const need = others.length === 1 ? "needs" : "need";
  const more = others.length === 0 ? "" : ` ${plural(others.length, "more thing")} ${need} attention.`;
  return {
    tone: first.tone,
    word: first.tone === "bad" ? "Not well" : "Look at it",
    text: `${sentenceOf(first.what)}${more}`,
  };
};

/** Whether the organization has nothing to show yet but the way to its first connection. */
export const isFirstRun = (known: Known): boolean => {
  const { connection, circuit, runs, alertCounts } = known;
  const open = Object.values(alertCounts?.open ?? {}).reduce((sum, count) => sum + count, 0);
  return (
    connection?.status === "disconnected" &&
    runs?.length === 0 &&
    circuit?.state === "closed" &&
    !circuit.forced &&
    open === (refusedConnectOf(known) === undefined ? 0 : 1)
  );
};
