/** The sums of days of a deployed function. All throw Error at cold start if the environment lacks a variable. */
import { createFeedReader } from "../archive/feed-reader.ts";
import { createCoverageStore } from "../completeness/coverage-store.ts";
import { createFindFeedStart } from "../completeness/find-feed-start.ts";
import { createIncompleteDays } from "../completeness/incomplete-days.ts";
import { createIsSettled } from "../completeness/is-settled.ts";
import { createReadCoverage } from "../completeness/read-coverage.ts";
import { createReadDay } from "../completeness/read-day.ts";
import type { SumDaysDependencies } from "../completeness/sum-days.ts";
import { createSumOrganization } from "../completeness/sum-organization.ts";
import { createReadPeriodSums } from "../completeness/sums-of-period.ts";
import { createVerifyDay } from "../completeness/verify-day.ts";
import { createUnjudgedStore } from "../detection/unjudged-store.ts";
import { createWindowStore } from "../detection/window-store.ts";
import { systemClock } from "../runtime/clock.ts";
import { readConfig } from "../runtime/config.ts";
import { createObjectStore, s3 } from "../runtime/object-store.ts";
import { openTable } from "../runtime/open-table.ts";
import { createHourCountStore } from "../security/statistics/hour-count-store.ts";
import { createOpenHourStore } from "../security/statistics/open-hour-store.ts";
import { createRollupStore } from "../security/statistics/rollup-store.ts";
import { DAY_MS } from "../terms/hours.ts";
import { wireArchiveReader, wireDueHourStore } from "./archive.ts";
import { wireConnectedStore } from "./connection-stores.ts";
import { wireCheckCheckpoints, wireEvidenceStore, wireReadIntegrity, wireRememberedLog } from "./evidence.ts";
import { wireRaising } from "./recorder.ts";
import { wireDueSealStore } from "./sealing-marks.ts";
import { wireResolveCause } from "./security.ts";
import { wireSettingsStore } from "./settings.ts";

const wireSums = () => createCoverageStore(openTable("evidence"));

export const wireReadCoverage = () => createReadCoverage({ sums: wireSums(), now: systemClock });

const wireFeedReader = () => {
  const { FEED_BUCKET: bucket, AWS_REGION: region } = readConfig(["FEED_BUCKET", "AWS_REGION"]);
  return bucket === undefined ? undefined : createFeedReader(createObjectStore(s3, bucket), region);
};

const wireReadDay = () => {
  const { RETENTION_DAYS: retentionDays } = readConfig(["RETENTION_DAYS"]);
  return createReadDay({
    events: createHourCountStore(openTable("securityEvents")),
    rollups: createRollupStore(openTable("securityRollups")),
    evidence: wireEvidenceStore(),
    archive: wireArchiveReader()?.archive,
    feed: wireFeedReader(),
    windows: createWindowStore(openTable("detection"), { retentionDays }),
    unjudged: createUnjudgedStore(openTable("detection"), { retentionDays }),
  });
};

export const wireReadPeriodSums = () =>
  createReadPeriodSums({
    evidence: wireEvidenceStore(),
    sums: wireSums(),
    readDay: wireReadDay(),
    now: systemClock,
  });

const wireIsSettled = () =>
  createIsSettled({
    openHours: createOpenHourStore(openTable("securityRollups"), systemClock),
    dueSeals: wireDueSealStore(),
    dueHours: wireDueHourStore(),
    now: systemClock,
  });

const wireFindFeedStart = () => {
  const settings = wireSettingsStore();
  return createFindFeedStart({
    feed: wireFeedReader(),
    isSwitchedOn: async (organizationId) => (await settings.read(organizationId)).siemFeed,
    now: systemClock,
  });
};

export const wireSumDays = (): SumDaysDependencies => {
  const sums = wireSums();
  return {
    evidence: wireEvidenceStore(),
    sums,
    connectedOrganizations: wireConnectedStore().connectedOrganizations,
    sumOrganization: createSumOrganization({
      sums,
      rollups: createRollupStore(openTable("securityRollups")),
      readDay: wireReadDay(),
      isSettled: wireIsSettled(),
      findFeedStart: wireFindFeedStart(),
      alerts: createIncompleteDays({ ...wireRaising(), resolve: wireResolveCause(), now: systemClock }),
      verifyDay: createVerifyDay(wireReadIntegrity(wireRememberedLog())),
      archiveMonths: wireArchiveReader()?.span.months,
      retentionMs: readConfig(["RETENTION_DAYS"]).RETENTION_DAYS * DAY_MS,
      now: systemClock,
    }),
    checkCheckpoints: wireCheckCheckpoints(),
    now: systemClock,
  };
};
