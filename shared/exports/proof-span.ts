/** The period of an export with proof, and when its proof can be made. docs/evidence.md, "Files of a proof". */

import { DomainError } from "../runtime/domain-error.ts";
import { headIn, hourOfLeaf } from "../sealing/evidence-item.ts";
import type { EvidenceStore } from "../sealing/evidence-store.ts";
import { DAY_MS, HOUR_MS } from "../terms/hours.ts";
import { organizationKey } from "../terms/keys.ts";
import type { EventExportRequest, ExportFilter } from "./export.ts";

const refuse = (field: string, expected: string): never => {
  throw new DomainError("invalid_field", `${field}: expected ${expected}`);
};

const timeOf = (hour: number): string => new Date(hour).toISOString();

/**
 * The period, of whole sealed hours: by default the last 24.
 * @throws DomainError `invalid_field` for another format, a filter, or hours that are not sealed; `store_unavailable`.
 */
export type ProofSpan = (request: EventExportRequest) => Promise<ExportFilter>;

export const createProofSpan =
  ({ evidence }: { evidence: Pick<EvidenceStore, "getState"> }): ProofSpan =>
  async ({ format, proof: _, since, until, ...filters }) => {
    if (format !== "ndjson") refuse("format", "ndjson with proof");
    const [filter] = Object.entries(filters).find(([, value]) => value !== undefined) ?? [];
    if (filter !== undefined) refuse(filter, "no filter but since and until with proof");
    for (const [name, time] of Object.entries({ since, until }))
      if (time !== undefined && time % HOUR_MS !== 0) refuse(name, "a whole hour with proof");
    const state = await evidence.getState();
    if (state === undefined || state.size === 0) return refuse("proof", "false, because no hour is sealed yet");
    const [first, end] = [state.start, hourOfLeaf(state, state.size)];
    const span = { since: since ?? Math.max(first, (until ?? end) - DAY_MS), until: until ?? end };
    if (span.since < first) refuse("since", `${timeOf(first)} or later, because no hour before it is sealed`);
    if (span.until > end) refuse("until", `${timeOf(end)} or earlier, because no hour after it is sealed yet`);
    if (span.until <= span.since) refuse("until", "a time after since");
    return span;
  };

export type ProofReadinessDependencies = {
  evidence: Pick<EvidenceStore, "getState" | "getHead" | "listHours">;
  /** Whether an erasure of the organization is under way. */
  isErasing(organizationId: string): Promise<boolean>;
  /** The hours of a span whose late events or erasures wait to be sealed. `to`: exclusive. */
  listDue(scope: string, span: { from: number; to: number }): Promise<readonly number[]>;
};

/**
 * The size of the log that a proof of a period can prove now.
 * @returns undefined while late events or erasures of the period, or the organization's first records, are not sealed.
 */
export type SizeOfProof = (organizationId: string, filter: ExportFilter) => Promise<number | undefined>;

export const createSizeOfProof =
  ({ evidence, isErasing, listDue }: ProofReadinessDependencies): SizeOfProof =>
  async (organizationId, { since, until }) => {
    const scope = organizationKey(organizationId);
    // The log last: what no longer waits may be in a record that its newest checkpoint does not count yet.
    if (await isErasing(organizationId)) return undefined;
    if ((await listDue(scope, { from: since, to: until })).length > 0) return undefined;
    const hours = await evidence.listHours(scope, since, until - HOUR_MS);
    const [state, head] = await Promise.all([evidence.getState(), evidence.getHead(scope)]);
    if (state === undefined || head === undefined) return undefined;
    const last = state.size - 1;
    const isCounted =
      hours.every(({ step }) => step <= last) && headIn(head, last, hourOfLeaf(state, last)) !== undefined;
    return isCounted ? state.size : undefined;
  };
