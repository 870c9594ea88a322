/** Takes a request for a preview: checks it, counts what it would read, and requests a worker. docs/rules.md, "Previews". */
import { requestedSettings } from "../detection/change-rule.ts";
import type { CustomRuleStore } from "../detection/custom-rules/custom-rule-store.ts";
import { BASELINE_DAYS } from "../detection/evidence/baseline.ts";
import type { WindowStore } from "../detection/window-store.ts";
import { scopeOfRequest } from "../mutes/create-mute.ts";
import { DomainError } from "../runtime/domain-error.ts";
import type { EventBus } from "../runtime/event-bus.ts";
import { addLogIds, writeLog } from "../runtime/log.ts";
import type { BuiltInRule } from "../security/alerts/finding.ts";
import { eventId, identityOf } from "../security/event-id.ts";
import { DAY_MS, HOUR_MS, startOfDay, startOfHour } from "../terms/hours.ts";
import type { RequestIdentity } from "../terms/idempotency-key.ts";
import { organizationKey } from "../terms/keys.ts";
import type { UserRequest } from "../terms/requester.ts";
import { MAX_EVENTS, type Preview, type PreviewRequest } from "./preview.ts";
import { previewRequested } from "./preview-events.ts";
import { type Change, toPreview } from "./preview-item.ts";
import type { NewPreview, PreviewStore } from "./preview-store.ts";

export type RequestPreviewDependencies = {
  previews: Pick<PreviewStore, "create" | "find">;
  customRules: Pick<CustomRuleStore, "read">;
  windows: Pick<WindowStore, "latest">;
  /** The number of stored events of a period, both times epoch ms, `until` exclusive. */
  countEvents: (organizationId: string, period: { since: number; until: number }, now: number) => Promise<number>;
  bus: Pick<EventBus, "publish">;
  retentionDays: number;
};

/** Windows of other rules reach back an hour, those of own rules a day. */
const RULES_WITH_BASELINE: readonly BuiltInRule[] = ["unusual_api_usage", "performance_degradation"];

const readsBaseline = (change: Change): boolean =>
  change.kind === "mute" || (change.kind === "rule" && RULES_WITH_BASELINE.includes(change.rule));

/** The period, and the first hour that is read: those before the period are what its first windows and baselines need. */
const periodOf = (change: Change, days: number, { to, oldest }: { to: number; oldest: number }) => {
  const from = Math.min(to, Math.max(to - days * DAY_MS, oldest));
  const before = readsBaseline(change) ? startOfDay(from) - BASELINE_DAYS * DAY_MS : from - DAY_MS;
  return { from, to, readFrom: Math.min(from, Math.max(before, oldest)) };
};

export type RequestPreview = (
  request: PreviewRequest,
  by: UserRequest & { identity: RequestIdentity },
) => Promise<Preview>;

/** The returned function throws DomainError `invalid_field`, `custom_rule_not_found`, `preview_running`, `store_unavailable`. */
export const createRequestPreview = (dependencies: RequestPreviewDependencies): RequestPreview => {
  const { previews, customRules, windows, countEvents, bus, retentionDays } = dependencies;

  const changeOf = async (
    { rule, customRule, mute }: PreviewRequest,
    organizationId: string,
    at: number,
  ): Promise<Change> => {
    if (rule !== undefined) return { kind: "rule", rule: rule.rule, settings: requestedSettings(rule.rule, rule) };
    if (mute !== undefined) return { kind: "mute", mute: scopeOfRequest(mute, at) };
    if (customRule === undefined) throw new Error("A preview of nothing.");
    const { id, ...definition } = customRule;
    if (id !== undefined && (await customRules.read(organizationId, id)) === undefined) {
      throw new DomainError("custom_rule_not_found", "There is no such rule.");
    }
    return { kind: "customRule", ...(id !== undefined && { id }), definition };
  };

  const publish = async (organizationId: string, previewId: string): Promise<void> => {
    const unpublished = await bus.publish([previewRequested({ organizationId, previewId })]);
    if (unpublished.length > 0) {
      writeLog("warn", "Requesting a worker for a preview failed; the next hour requests it again", {});
    }
  };

  return async (request, { caller, identity }) => {
    const { organizationId, userId } = caller;
    const { at } = identity;
    const id = eventId(at, identityOf("preview", organizationId, identity.id));
    addLogIds({ previewId: id });
    const change = await changeOf(request, organizationId, at);
    const earlier = identity.isRepeated ? await previews.find(organizationId, id) : undefined;
    if (earlier !== undefined) {
      if (earlier.status === "queued") await publish(organizationId, id);
      const { work: _, result: __, error: ___, ...asRequested } = earlier;
      return toPreview({ ...asRequested, status: "queued" });
    }
    const latest = await windows.latest(organizationKey(organizationId), at);
    const to = latest === undefined ? startOfHour(at) : latest.hour + HOUR_MS;
    const oldest = startOfHour(at) - retentionDays * DAY_MS;
    const period = periodOf(change, request.days, { to, oldest });
    const { readFrom } = period;
    const reads = readFrom === to ? 0 : await countEvents(organizationId, { since: readFrom, until: to }, at);
    if (reads > MAX_EVENTS) {
      throw new DomainError(
        "invalid_field",
        `days: expected fewer days: the preview would read ${reads} events, and may read ${MAX_EVENTS}`,
      );
    }
    const preview: NewPreview = {
      id,
      days: request.days,
      change,
      ...period,
      reads,
      requestedAt: at,
      requestedBy: userId,
    };
    await previews.create(organizationId, preview);
    await publish(organizationId, id);
    return toPreview({ ...preview, status: "queued" });
  };
};
