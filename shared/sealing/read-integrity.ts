/**
 * Whether an organization's sealed hours are what is stored, hour by hour. Nothing is believed that can be computed: the
 * leaves come from the stored events, or from the archive. docs/evidence.md, "Integrity".
 */
import type { HourLeaf } from "../evidence/hour-leaves.ts";
import { recordOf } from "../evidence/sealed-log.ts";
import type { Clock } from "../runtime/clock.ts";
import { DomainError } from "../runtime/domain-error.ts";
import { inParallel } from "../runtime/in-parallel.ts";
import { DAY_MS, HOUR_MS, startOfHour } from "../terms/hours.ts";
import { organizationKey } from "../terms/keys.ts";
import { isCounted } from "./check-log.ts";
import { headIn, hourOfLeaf, type LogState } from "./evidence-item.ts";
import type { EvidenceStore } from "./evidence-store.ts";
import { type HourIntegrity, judgeSealedHour, notSealed } from "./hour-integrity.ts";
import type { Integrity, IntegrityQuery } from "./integrity.ts";
import type { ReadLog } from "./read-log.ts";

const MAX_HOURS = 31 * 24;
const MAX_EVENTS = 50_000;
const HOURS_AT_ONCE = 4;
const ATTEMPTS = 3;

export type IntegrityDependencies = {
  evidence: Pick<EvidenceStore, "getState" | "listHours" | "listRecords" | "getHead">;
  readLog: ReadLog;
  /** The stored events of an hour; undefined if one has expired and no archive holds it. `expiresAt`: of the sealed hour. */
  readHour(scope: string, hour: number, expiresAt?: number): Promise<readonly HourLeaf[] | undefined>;
  /** The hours of a span whose late events or erasures wait to be sealed. `to`: exclusive. */
  listDue(scope: string, span: { from: number; to: number }): Promise<readonly number[]>;
  /** Whether an erasure of the organization is under way. */
  isErasing(organizationId: string): Promise<boolean>;
  /** The signing keys: as verifiers take them, and as DER. */
  keys(origin: string): Promise<{ line: string; spki: Uint8Array }[]>;
  now: Clock;
};

type Span = { since: number; until: number };

const spanOf = ({ since, until }: IntegrityQuery, now: number): Span => {
  const end = until ?? startOfHour(now);
  const span = { since: since ?? end - DAY_MS, until: end };
  for (const [name, time] of Object.entries(span))
    if (time % HOUR_MS !== 0) throw new DomainError("invalid_field", `${name}: expected a whole hour`);
  if (span.until <= span.since) throw new DomainError("invalid_field", "until: expected a time after since");
  if (span.until - span.since > MAX_HOURS * HOUR_MS)
    throw new DomainError("invalid_field", "until: expected at most 31 days after since");
  return span;
};

/** @throws DomainError `invalid_field` that names how long a span may be. */
const requireFewEvents = (hours: readonly { hour: number; count: number }[], { since }: Span): void => {
  let events = 0;
  for (const { hour, count } of hours) {
    events += count;
    if (events <= MAX_EVENTS) continue;
    const shorter = hour > since ? `expected at most ${new Date(hour).toISOString()}` : "export this hour with proof";
    throw new DomainError("invalid_field", `until: the span has more than ${MAX_EVENTS} sealed events; ${shorter}`);
  }
};

const collect = async <Item>(items: AsyncIterable<Item>): Promise<Item[]> => {
  const list: Item[] = [];
  for await (const item of items) list.push(item);
  return list;
};

export type ReadIntegrity = ReturnType<typeof createReadIntegrity>;

export const createReadIntegrity = ({
  evidence,
  readLog,
  readHour,
  listDue,
  isErasing: isErasingOf,
  keys,
  now,
}: IntegrityDependencies) => {
  /** @param records all entries of the organization's log. */
  const isLogConsistent = async (
    scope: string,
    state: LogState,
    records: readonly string[],
    spki: readonly Uint8Array[],
  ): Promise<boolean> => {
    const last = state.size - 1;
    const [{ isSigned, leaf, slots }, head] = await Promise.all([readLog(state, spki), evidence.getHead(scope)]);
    if (!isSigned || leaf === undefined) return false;
    const counted = records.filter((entry) => recordOf(entry).step <= last);
    const inStep = head && headIn(head, last, hourOfLeaf(state, last));
    return isCounted({ slot: head?.slot, head: inStep, slots, leaf, records: counted });
  };

  /** The records and the hours, which are written together, as of one moment: a version may come between two reads. */
  const readSealed = async (scope: string, { since, until }: Span) => {
    for (let attempt = 1; ; attempt++) {
      const records = await collect(evidence.listRecords(scope));
      const sealed = new Map((await evidence.listHours(scope, since, until - HOUR_MS)).map((one) => [one.hour, one]));
      const versions = new Map(records.map(recordOf).map(({ hour, version }) => [hour, version]));
      const isOvertaken = [...sealed.values()].some(({ hour, version }) => version > (versions.get(hour) ?? 0));
      if (!isOvertaken || attempt === ATTEMPTS) return { records, sealed };
    }
  };

  /**
   * @throws DomainError `invalid_field` for a span that is not of whole hours, or too long; `store_unavailable`.
   */
  return async (organizationId: string, query: IntegrityQuery): Promise<Integrity> => {
    const scope = organizationKey(organizationId);
    const span = spanOf(query, now());
    const hours = Array.from({ length: (span.until - span.since) / HOUR_MS }, (_, i) => span.since + i * HOUR_MS);
    const state = await evidence.getState();
    const { records, sealed } = await readSealed(scope, span);
    requireFewEvents([...sealed.values()], span);
    if (state === undefined || state.size === 0)
      return { hours: hours.map(notSealed), publicKey: "", log: "consistent" };
    const [ownKeys, isErasing, due] = await Promise.all([
      keys(state.origin),
      isErasingOf(organizationId),
      listDue(scope, { from: span.since, to: span.until }),
    ]);
    const byHour = Map.groupBy(records.map(recordOf), ({ hour }) => hour);
    const end = hourOfLeaf(state, state.size);

    const judge = async (hour: number): Promise<HourIntegrity> => {
      if (hour < state.start || hour >= end) return notSealed(hour);
      const events = await readHour(scope, hour, sealed.get(hour)?.expiresAt);
      return judgeSealedHour({
        hour,
        size: state.size,
        records: byHour.get(hour) ?? [],
        sealed: sealed.get(hour),
        events,
        // An erasure marks the hours after it has emptied their events.
        isDue: isErasing || due.includes(hour),
      });
    };

    const judged = new Map<number, HourIntegrity>();
    const [isConsistent] = await Promise.all([
      isLogConsistent(
        scope,
        state,
        records,
        ownKeys.map(({ spki }) => spki),
      ),
      inParallel(hours, HOURS_AT_ONCE, async (hour) => void judged.set(hour, await judge(hour))),
    ]);
    return {
      hours: hours.map((hour) => judged.get(hour) ?? notSealed(hour)),
      publicKey: ownKeys.map(({ line }) => line).join("\n"),
      log: isConsistent ? "consistent" : "broken",
    };
  };
};
