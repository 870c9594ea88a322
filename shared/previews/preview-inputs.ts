/** Reads what a preview judges with, once, at its beginning: a change during the preview does not count. */
import { unbrokenSince } from "../connection/connected-spans.ts";
import type { ConnectionStore } from "../connection/connection-store.ts";
import type { BaselineStore } from "../detection/baseline-store.ts";
import type { CustomRuleStore } from "../detection/custom-rules/custom-rule-store.ts";
import type { JudgingRule } from "../detection/custom-rules/judge-custom-rules.ts";
import { BASELINE_DAYS } from "../detection/evidence/baseline.ts";
import type { RunFact } from "../detection/evidence/syncing.ts";
import { settingsOf } from "../detection/rule-settings.ts";
import type { RuleSettingsStore } from "../detection/rule-settings-store.ts";
import type { SyncFactsStore } from "../detection/sync-facts-store.ts";
import type { WindowStore } from "../detection/window-store.ts";
import type { FraudWarningStore } from "../money/fraud-warning-store.ts";
import { baselineStart } from "../money/money-baseline.ts";
import type { MoneyHourStore } from "../money/money-hour-store.ts";
import type { MoneyStore } from "../money/money-store.ts";
import type { MuteScope } from "../mutes/mute.ts";
import type { MuteItem } from "../mutes/mute-item.ts";
import type { MuteStore } from "../mutes/mute-store.ts";
import type { Destination } from "../notifications/destination.ts";
import type { DestinationStore } from "../notifications/destination-store.ts";
import type { AlertPeriodStore, PeriodAlert } from "../security/alerts/alert-period-store.ts";
import { DAY_MS, startOfDay } from "../terms/hours.ts";
import { organizationKey } from "../terms/keys.ts";
import type { Side } from "./judge-past-hour.ts";
import { noMoney, type PastMoney } from "./past-money.ts";
import type { PresentConnection } from "./past-syncing.ts";
import type { StoredPreview } from "./preview-item.ts";

/** A value of JSON. `changed` is undefined if it judges as `now`. Times are epoch ms. */
export type PreviewInputs = {
  now: Side;
  changed: Side | undefined;
  mutes: MuteScope[];
  filters: Destination["filter"][];
  alerts: PeriodAlert[];
  /** Hours, and when each was judged. */
  judged: [hour: number, judgedAt: number][];
  /** In order of their start. */
  runs: RunFact[];
  connection: PresentConnection;
  /** The first counted hour of users that were counted before the preview's first hour, by their hash. */
  sinceOfUsers: Record<string, number>;
  /** Missing from a preview that an earlier version has begun. */
  money?: PastMoney;
};

export type InputDependencies = {
  settings: Pick<RuleSettingsStore, "read">;
  customRules: Pick<CustomRuleStore, "listForJudging">;
  windows: Pick<WindowStore, "judgedTimes">;
  baselines: Pick<BaselineStore, "listSinceOfUsers">;
  syncFacts: Pick<SyncFactsStore, "endedRuns">;
  connections: Pick<ConnectionStore, "read">;
  alerts: AlertPeriodStore;
  mutes: Pick<MuteStore, "list">;
  destinations: Pick<DestinationStore, "list">;
  moneyDays: Pick<MoneyStore, "readDays">;
  moneyHours: Pick<MoneyHourStore, "readHours">;
  warnings: Pick<FraudWarningStore, "readWarnings">;
};

/** The id of a previewed rule that is not stored. */
const NEW_RULE_ID = "new";

/** Of more alerts, the resolutions of the oldest do not count. */
const MAX_ALERTS = 20_000;
const MUTES_PER_PAGE = 100;
const MAX_MUTES = 2_000;

/** The rule as if it had always been there. */
const always = (rule: Omit<JudgingRule, "changedAt">): JudgingRule => ({ ...rule, changedAt: 0 });

const createReadSides =
  ({ settings, customRules }: Pick<InputDependencies, "settings" | "customRules">) =>
  async (organizationId: string, change: StoredPreview["change"]): Promise<Pick<PreviewInputs, "now" | "changed">> => {
    const ownRules = async () =>
      (await customRules.listForJudging(organizationKey(organizationId))).map(({ id, revision, ...rule }) =>
        always({ ...rule, id, revision }),
      );
    if (change.kind === "customRule") {
      const { id = NEW_RULE_ID, definition } = change;
      const present = change.id === undefined ? [] : (await ownRules()).filter((rule) => rule.id === id);
      const changed = always({ ...definition, id, revision: 0 });
      return {
        now: { settings: undefined, customRules: present },
        changed: { settings: undefined, customRules: [changed] },
      };
    }
    const present = await settings.read(organizationId);
    if (change.kind === "mute") {
      const live = (await ownRules()).filter(({ mode }) => mode === "live");
      return { now: { settings: present, customRules: live }, changed: undefined };
    }
    const { revision } = settingsOf(present, change.rule);
    const changed = { ...present, [change.rule]: { ...change.settings, revision } };
    return { now: { settings: present, customRules: [] }, changed: { settings: changed, customRules: [] } };
  };

/** The times in which a mute acted or will act. */
const scopeOf = ({ rules, subject, levels, from, until, weekly, includeCritical, endedAt }: MuteItem): MuteScope => ({
  rules,
  subject,
  levels,
  weekly,
  includeCritical,
  from,
  until: Math.min(until, endedAt ?? until),
});

export const createReadInputs = (dependencies: InputDependencies) => {
  const { windows, baselines, syncFacts, connections, alerts, mutes, destinations } = dependencies;
  const { moneyDays, moneyHours, warnings } = dependencies;
  const readSides = createReadSides(dependencies);

  const readMutes = async (organizationId: string, now: number): Promise<MuteScope[]> => {
    const found: MuteScope[] = [];
    let after: string | undefined;
    do {
      const page = await mutes.list(organizationId, { limit: MUTES_PER_PAGE, after, now });
      found.push(...page.items.map(scopeOf));
      after = page.next;
    } while (after !== undefined && found.length < MAX_MUTES);
    return found;
  };

  /** Where the retention has cut the 28 days, baselines begin with the preview. */
  const readSince = async (scope: string, { readFrom, from }: StoredPreview): Promise<Record<string, number>> => {
    if (readFrom > startOfDay(from) - BASELINE_DAYS * DAY_MS) return {};
    const times = await baselines.listSinceOfUsers(scope);
    return Object.fromEntries([...times].filter(([, since]) => since < readFrom));
  };

  /** An own rule reads no money. */
  const readMoney = async (organizationId: string, { change, from, to }: StoredPreview): Promise<PastMoney> => {
    if (change.kind === "customRule") return noMoney;
    const [days, hours, firstWarnings] = await Promise.all([
      moneyDays.readDays(organizationId),
      moneyHours.readHours(organizationId, { from: baselineStart(from), to }),
      warnings.readWarnings(organizationId, { from, to }),
    ]);
    return { days, hours: [...hours], warnings: firstWarnings };
  };

  /** Some read units, and half a unit per 4 KB of judged hours, runs, alerts and mutes. @param now epoch ms. @throws DomainError `store_unavailable`. */
  return async (organizationId: string, preview: StoredPreview, now: number): Promise<PreviewInputs> => {
    const { change, readFrom, from, to } = preview;
    const scope = organizationKey(organizationId);
    const [sides, judged, runs, connection, periodAlerts, allMutes, allDestinations, sinceOfUsers, money] =
      await Promise.all([
        readSides(organizationId, change),
        windows.judgedTimes(scope, { from: readFrom, to }),
        syncFacts.endedRuns(organizationId, { from: readFrom - BASELINE_DAYS * DAY_MS, to }),
        connections.read(organizationId),
        alerts.list(organizationId, { from, to }, MAX_ALERTS),
        readMutes(organizationId, now),
        destinations.list(organizationId),
        readSince(scope, preview),
        readMoney(organizationId, preview),
      ]);
    return {
      ...sides,
      mutes: allMutes,
      filters: allDestinations.filter(({ status }) => status === "active").map(({ filter }) => filter),
      alerts: periodAlerts,
      judged: [...judged],
      runs: runs.sort((a, b) => a.startedAt - b.startedAt),
      connection:
        connection.status === "connected"
          ? { connectedAt: connection.connectedAt, connectedSince: unbrokenSince(connection) }
          : undefined,
      sinceOfUsers,
      money,
    };
  };
};

export type ReadInputs = ReturnType<typeof createReadInputs>;
