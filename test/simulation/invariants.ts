/** What must hold after each write of a simulation, and of all items at its end. */

import { type Cause, HALF_OPEN_MAX_CALLS, type StoredState } from "../../shared/circuit-breaker/circuit.ts";
import { parseCircuit } from "../../shared/circuit-breaker/circuit-item.ts";
import { parseConnection } from "../../shared/connection/connection-item.ts";
import { parseErasure } from "../../shared/erasure/erasure-item.ts";
import { fromItem as recordOf } from "../../shared/records/record-item.ts";
import { parseAlertItem, toAlert } from "../../shared/security/alerts/alert-item.ts";
import { isNoteKey, parseNoteItem } from "../../shared/security/alerts/alert-note.ts";
import { fromItem as eventOf } from "../../shared/security/event-item.ts";
import { organizationKey } from "../../shared/terms/keys.ts";
import { eventPartitions } from "../../shared/webhooks/event-partitions.ts";
import type { Item } from "../support/expressions.ts";
import type { Change } from "./memory-dynamodb.ts";

/** A broken promise of the service. */
export class Problem extends Error {}

type Moment = { organizations: readonly { id: string; accountId: string }[]; now: number; skewMs: number };

/** The states that each automatic cause may leave, and the state that follows. */
const transitions: Partial<Record<Cause, { from: readonly StoredState[]; to: StoredState }>> = {
  failures: { from: ["closed", "forced_closed", "forced_open"], to: "open" },
  recovery_timeout: { from: ["open"], to: "half_open" },
  probe_failed: { from: ["half_open"], to: "open" },
  probes_succeeded: { from: ["half_open"], to: "closed" },
  probes_lost: { from: ["half_open"], to: "half_open" },
  until_passed: { from: ["forced_open", "forced_closed"], to: "closed" },
  reset: { from: ["closed", "open", "half_open", "forced_open", "forced_closed"], to: "closed" },
  force_open: { from: ["closed", "open", "half_open", "forced_open", "forced_closed"], to: "forced_open" },
  force_close: { from: ["closed", "open", "half_open", "forced_open", "forced_closed"], to: "forced_closed" },
};

const problemOfCircuit = (before: Item | undefined, after: Item, { now, skewMs }: Moment): string | undefined => {
  if (after.state === undefined) return undefined;
  const circuit = parseCircuit(after);
  const earlier = before?.state === undefined ? undefined : parseCircuit(before);
  if (circuit.state === "half_open" && Object.keys(circuit.permits).length > HALF_OPEN_MAX_CALLS)
    return `a half-open round has ${Object.keys(circuit.permits).length} permits`;
  if (circuit.state !== "half_open" && after.permits !== undefined)
    return `a circuit that is ${circuit.state} has permits`;
  const generation = earlier?.generation ?? 0;
  if (circuit.generation < generation) return `the generation falls from ${generation} to ${circuit.generation}`;
  let state: StoredState = earlier?.state ?? "closed";
  for (const start of circuit.starts.filter((one) => one.generation > generation)) {
    const legal = transitions[start.cause];
    if (legal === undefined || !legal.from.includes(state) || legal.to !== start.to)
      return `a circuit goes from ${state} to ${start.to} by ${start.cause}`;
    state = start.to;
  }
  if (state !== circuit.state) return `a circuit goes from ${state} to ${circuit.state} without a transition`;
  if (earlier?.state === "open" && circuit.state === "half_open" && now + skewMs < earlier.until)
    return `a circuit is half-open ${earlier.until - now} ms too early`;
  return undefined;
};

/** Whether a partition is one of an organization's webhook events. */
const isEventOf = (organizationId: string, scope: unknown): boolean =>
  typeof scope === "string" && eventPartitions(organizationId).includes(scope);

/** Describes what a change of an item breaks, if anything. */
export const problemOfChange = ({ table, before, after }: Change, moment: Moment): string | undefined => {
  if (after === undefined) return undefined;
  const { organizations } = moment;
  const owner = organizations.find(({ id }) => after.scope === organizationKey(id) || isEventOf(id, after.scope));
  if (typeof after.organizationId === "string" && after.scope !== undefined) {
    const named = organizationKey(after.organizationId);
    if (after.scope !== named) return `${table}: an item of ${named} is stored under ${after.scope}`;
  }
  if (
    table === "WebhookEvents" &&
    owner !== undefined &&
    after.accountId !== undefined &&
    after.accountId !== owner.accountId
  )
    return `an event of ${after.accountId} is stored under ${after.scope}`;
  if (table === "Circuits") {
    const problem = problemOfCircuit(before, after, moment);
    if (problem !== undefined) return `${after.id}: ${problem}`;
  }
  return undefined;
};

const parsers: Record<string, (item: Item) => unknown> = {
  Circuits: (item) => item.state !== undefined && parseCircuit(item),
  Connections: (item) => item.status !== undefined && parseConnection(item),
  Erasures: (item) => String(item.key).startsWith("erasure#") && parseErasure(item),
  Records: recordOf,
  SecurityAlerts: (item) =>
    isNoteKey(String(item.key)) ? parseNoteItem(item) : item.id !== undefined && toAlert(parseAlertItem(item)),
  SecurityEvents: (item) => item.eventType !== undefined && eventOf(item),
};

/** Parses all items of the tables whose stores have a parser. @throws Problem for an item that its store cannot read. */
export const judgeItems = (everything: readonly [string, Item][]): void => {
  for (const [table, item] of everything) {
    try {
      parsers[table]?.(item);
    } catch (error) {
      throw new Problem(`${table} has an item that cannot be read: ${error}`, { cause: item });
    }
  }
};

/** Each stored alert, and each event of a transition, must have been on the bus. @throws Problem */
export const judgePublished = (
  items: (table: string) => readonly Item[],
  published: readonly { type: string; detail: Record<string, unknown> }[],
): void => {
  const alerts = new Set<string>();
  const noteIds = new Set<unknown>();
  const transitionIds = new Set<unknown>();
  for (const { type, detail } of published) {
    const { id, revision } = (detail.alert ?? {}) as { id?: string; revision?: number };
    if (type === "SecurityAlertChanged") alerts.add(`${id} ${revision}`);
    noteIds.add((detail.note as { id: string } | undefined)?.id);
    if (type === "CircuitChanged") transitionIds.add(detail.id);
  }
  for (const { key, id, revision, title } of items("SecurityAlerts")) {
    if (id !== undefined && !alerts.has(`${id} ${revision}`))
      throw new Problem(`Revision ${revision} of the alert ${id} (${title}) was never published`);
    if (isNoteKey(String(key)) && !noteIds.has(String(key).split("#").at(-1)))
      throw new Problem(`The note ${key} was never published`);
  }
  for (const { id, eventType } of items("SecurityEvents"))
    if (eventType === "CIRCUIT_BREAKER_CHANGED" && !transitionIds.has(id))
      throw new Problem(`The transition ${id} was never published`);
};
