/**
 * The files of an export of all data of an organization, in their order; the manifest is the last one. docs/exports.md,
 * "All data of an organization", lists them.
 */
import { describeRules } from "../detection/change-rule.ts";
import { type CustomRuleStore, toView } from "../detection/custom-rules/custom-rule-store.ts";
import type { RuleSettingsStore } from "../detection/rule-settings-store.ts";
import { toMute } from "../mutes/mute-item.ts";
import type { MuteStore } from "../mutes/mute-store.ts";
import type { DestinationStore } from "../notifications/destination-store.ts";
import { toDestination } from "../notifications/notification-items.ts";
import { recordTypes } from "../records/record.ts";
import type { RecordListStore } from "../records/record-list-store.ts";
import type { RecordPosition } from "../records/record-query.ts";
import type { ReportPosition } from "../reports/report.ts";
import type { ReportStore } from "../reports/report-store.ts";
import type { AlertPosition } from "../security/alerts/alert.ts";
import { addHistory } from "../security/alerts/alert-history.ts";
import type { AlertNoteStore } from "../security/alerts/alert-note-store.ts";
import type { AlertStore } from "../security/alerts/alert-store.ts";
import type { SettingsStore } from "../settings/settings-store.ts";
import { organizationKey } from "../terms/keys.ts";
import { type EventSourceDependencies, eventSource } from "./event-source.ts";
import { ExportedFile } from "./export.ts";
import type { StoredExport, StoredFile } from "./export-item.ts";
import { type FileSource, jsonOf, linesOf } from "./file-source.ts";
import { personalDataOf } from "./personal-data.ts";
import { nextProofFile, type ProofSourceDependencies } from "./proof-sources.ts";

const RECORDS_PER_PAGE = 1_000;
const MUTES_PER_PAGE = 100;
/** Each may need the notes of the alert. */
const ALERTS_PER_PAGE = 100;
/** A report has up to 300 KB. */
const REPORTS_PER_PAGE = 10;

export type SourceDependencies = EventSourceDependencies & {
  proof: ProofSourceDependencies;
  records: Pick<RecordListStore, "list">;
  alerts: Pick<AlertStore, "list">;
  notes: Pick<AlertNoteStore, "list">;
  settings: Pick<SettingsStore, "read">;
  rules: Pick<RuleSettingsStore, "read">;
  destinations: Pick<DestinationStore, "list">;
  customRules: Pick<CustomRuleStore, "list">;
  mutes: Pick<MuteStore, "list">;
  reports: Pick<ReportStore, "list" | "get">;
};

/** Reads nothing until a source is read. */
const organizationSources = (
  dependencies: SourceDependencies,
  organizationId: string,
  { id, requestedAt }: Pick<StoredExport, "id" | "requestedAt">,
  files: readonly StoredFile[],
): FileSource[] => {
  const { records, alerts, notes, settings, rules, destinations, customRules, mutes, reports, clock } = dependencies;
  return [
    jsonOf("settings.json", () => settings.read(organizationId)),
    // All of them are one page. Their secrets are not part of what clients see.
    linesOf("destinations.ndjson", async () => ({
      items: (await destinations.list(organizationId)).map(toDestination),
      next: undefined,
    })),
    // At most 20.
    linesOf("custom-rules.ndjson", async () => ({
      items: (await customRules.list(organizationKey(organizationId))).map(toView),
      next: undefined,
    })),
    ...recordTypes.map((type) =>
      linesOf(`${type}.ndjson`, (after: RecordPosition | undefined) =>
        records.list(organizationId, type, {}, { limit: RECORDS_PER_PAGE, after }),
      ),
    ),
    eventSource(dependencies, organizationId, { format: "ndjson", filter: { since: 0, until: requestedAt } }),
    linesOf("alerts.ndjson", async (after: AlertPosition | undefined) => {
      const { items, next } = await alerts.list(organizationId, { limit: ALERTS_PER_PAGE, after, now: clock() });
      const exported = items.filter(({ drill }) => drill !== true);
      return { items: await Promise.all(exported.map((alert) => addHistory(notes, organizationId, alert))), next };
    }),
    linesOf("reports.ndjson", async (after: ReportPosition | undefined) => {
      const now = clock();
      const { items, next } = await reports.list(organizationId, { limit: REPORTS_PER_PAGE, after, now });
      const found = await Promise.all(items.map((entry) => reports.get(organizationId, entry, now)));
      return { items: found.filter((report) => report !== undefined), next };
    }),
    jsonOf("detection-rules.json", async () => describeRules(await rules.read(organizationId))),
    linesOf("mutes.ndjson", async (after: string | undefined) => {
      const now = clock();
      const { items, next } = await mutes.list(organizationId, { limit: MUTES_PER_PAGE, after, now });
      return { items: items.map((mute) => toMute(mute, now)), next };
    }),
    jsonOf("manifest.json", async () => ({
      version: 1,
      organizationId,
      exportId: id,
      requestedAt,
      files: files.map((file) => ExportedFile.parse(file)),
      personalData: personalDataOf(files),
    })),
  ];
};

/** The file of an export after those that are complete; undefined after the last one. */
export const createNextSource =
  (dependencies: SourceDependencies) =>
  (organizationId: string, stored: StoredExport, files: readonly StoredFile[]): FileSource | undefined => {
    const { id, kind, format, filter, proof, work } = stored;
    if (kind === "organization") return organizationSources(dependencies, organizationId, stored, files)[files.length];
    if (format === undefined || filter === undefined)
      throw new Error("An export of events lacks its format or filter.");
    if (proof === true) {
      if (work?.size === undefined) throw new Error("An export with proof lacks the size of the log.");
      return nextProofFile(dependencies.proof, { organizationId, exportId: id, filter, size: work.size }, files);
    }
    return files.length === 0 ? eventSource(dependencies, organizationId, { format, filter }) : undefined;
  };
