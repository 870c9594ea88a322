/**
 * Records refused requests as security events: tokens that are not accepted, and callers without the permission or with
 * another organization's cursor. Refusals are events up to a limit, then counts have them: of bad tokens
 * (shared/security/flood.ts) and of valid ones (shared/security/flood-denials.ts). A request without a token is no event, but
 * a metric counts it. A refusal that is a finding, or a count of such, raises an alert at once
 * (shared/detection/judge-refusal.ts).
 */
import type { APIGatewayProxyEventV2 } from "aws-lambda";
import type { JudgeRefusal } from "../detection/judge-refusal.ts";
import type { RaiseFinding } from "../detection/raise-finding.ts";
import type { RefusedRequest } from "../detection/rules/rule.ts";
import { definedFields } from "../json/defined-fields.ts";
import type { Clock } from "../runtime/clock.ts";
import { asSideWork } from "../runtime/deadline.ts";
import type { DomainError } from "../runtime/domain-error.ts";
import { writeLog } from "../runtime/log.ts";
import type { NoteFailure } from "../runtime/note-failure.ts";
import { eventId } from "../security/event-id.ts";
import type { FloodRecorder } from "../security/flood.ts";
import type { DenialRecorder } from "../security/flood-denials.ts";
import type { Recorder } from "../security/recorder.ts";
import type { NewSecurityEvent } from "../security/security-event.ts";
import { type Caller, namesOrganization } from "../terms/caller.ts";
import { catalogueEntry } from "../terms/error-catalogue.ts";
import { requesterFields } from "../terms/requester.ts";
import { type Route, tags } from "./route.ts";

export type Refusal = {
  route: Route;
  event: APIGatewayProxyEventV2;
  error: DomainError;
  /** The refused caller; undefined if no verified token names one. */
  caller: Caller | undefined;
};

export type RecordRefusal = (refusal: Refusal) => Promise<void>;

/** Counts the refusals that wait in memory, if they have waited for long enough. */
export type CountRefusals = () => Promise<void>;

export type FailureRecording = { recordRefusal: RecordRefusal; countRefusals: CountRefusals; noteFailure: NoteFailure };

/** Loads the recording at the first refusal or failure. Neither loading nor recording fails a request. */
export const deferRecording = (load: () => Promise<FailureRecording>): FailureRecording => {
  let countRefusals: CountRefusals | undefined;
  return {
    async recordRefusal(refusal) {
      try {
        const recording = await load();
        countRefusals = recording.countRefusals;
        await asSideWork(() => recording.recordRefusal(refusal));
      } catch (error) {
        writeLog("error", "Recording a refusal failed", { alarm: "event_not_recorded", cause: String(error) });
      }
    },
    async countRefusals() {
      try {
        await asSideWork(() => countRefusals?.());
      } catch (error) {
        writeLog("error", "Counting refusals failed", { alarm: "refusals_not_counted", cause: String(error) });
      }
    },
    async noteFailure(organizationId, part) {
      try {
        const recording = await load();
        await asSideWork(() => recording.noteFailure(organizationId, part));
      } catch (error) {
        writeLog("error", "Counting a failure failed", { alarm: "system_errors", cause: String(error) });
      }
    },
  };
};

const toSnakeCase = (text: string) =>
  text
    .replace(/[^A-Za-z0-9]+/g, "_")
    .replace(/^_|_$/g, "")
    .toLowerCase();

const toEvent = ({ route, event, error, caller }: Refusal): NewSecurityEvent => {
  const { status, number } = catalogueEntry(error.code);
  const { http, requestId } = event.requestContext;
  const isAuthentication = status === 401;
  const namesOther = namesOrganization(error.foreignScope);
  const { resourceType } = tags[route.tag];
  return {
    eventType: isAuthentication ? "AUTHENTICATION_FAILURE" : "PERMISSION_DENIED",
    category: isAuthentication ? "authentication" : "authorization",
    riskLevel: namesOther ? "CRITICAL" : "HIGH",
    source: "user",
    ...definedFields({ organizationId: caller?.organizationId }),
    ...requesterFields({ ...caller, ipAddress: http.sourceIp, userAgent: http.userAgent }),
    resource: `${route.method} ${route.path}`,
    ...definedFields({ resourceType }),
    action: toSnakeCase(`${route.method} ${route.path}`),
    success: false,
    errorCode: String(number),
    errorMessage: namesOther ? "It was given to another organization." : error.message,
    metadata: { requestId, permission: route.permission },
  };
};

/** What rules read of a refusal of a valid token, or of a count of such. @param id of the event. */
const refusedOf = (event: NewSecurityEvent, id: string, at: number): RefusedRequest => ({
  eventId: id,
  at,
  errorCode: event.errorCode ?? "",
  action: event.action ?? "",
  permission: String(event.metadata?.permission ?? ""),
  ipAddress: event.ipAddress ?? "",
  userId: event.userId,
  namesOtherOrganization: event.riskLevel === "CRITICAL",
});

export type JudgeDependencies = {
  recorder: Pick<Recorder, "record">;
  judge: JudgeRefusal;
  raise: RaiseFinding;
  now: Clock;
  /** 16 bytes of randomness. */
  random: () => Uint8Array;
};

/** Records refusals of valid tokens, and counts of such, and raises their findings at once: a count's once. */
export const createJudgingRecorder = ({
  recorder,
  judge,
  raise,
  now,
  random,
}: JudgeDependencies): Pick<Recorder, "record"> => {
  /** @returns whether there were findings and all were raised; otherwise the hourly rules judge the event. */
  const raiseAll = async (organizationId: string | undefined, refused: RefusedRequest): Promise<boolean> => {
    let rule: string | undefined;
    try {
      const findings = await judge(organizationId, refused);
      for (const finding of findings) {
        rule = finding.rule;
        await raise(organizationId, finding);
      }
      return findings.length > 0;
    } catch (error) {
      writeLog("error", "Raising a finding failed", { alarm: "finding_not_raised", rule, cause: String(error) });
      return false;
    }
  };

  return {
    async record(event, { timestamp = now(), identity = random() } = {}) {
      const refused = refusedOf(event, eventId(timestamp, identity), timestamp);
      const judgedAtOnce = await raiseAll(event.organizationId, refused);
      const metadata = { ...event.metadata, ...(judgedAtOnce && { judgedAtOnce }) };
      return recorder.record({ ...event, metadata }, { timestamp, identity });
    },
  };
};

export type RefusalDependencies = {
  /** Of tokens that are not accepted. */
  flood: Pick<FloodRecorder, "record">;
  /** Of valid tokens. */
  denials: Pick<DenialRecorder, "record">;
};

/** Records refusals for one instance of a function. */
export const createRefusalRecorder =
  ({ flood, denials }: RefusalDependencies): RecordRefusal =>
  async (refusal) => {
    if (refusal.error.code === "no_bearer_token") return;
    const event = toEvent(refusal);
    await (event.eventType === "PERMISSION_DENIED" ? denials : flood).record(event);
  };
