/** The records of a deployed function. All throw Error at cold start if a variable is missing. */

import { type Apply, createApply } from "../records/apply.ts";
import { createRecordListStore, type RecordListStore } from "../records/record-list-store.ts";
import { createRecordStore, RECORD_VERSION, type RecordStore } from "../records/record-store.ts";
import { systemClock } from "../runtime/clock.ts";
import { newRequestToken } from "../runtime/ids.ts";
import { openTable } from "../runtime/open-table.ts";
import { replaceInBatches } from "../runtime/replace-batches.ts";

export const wireRecordLists = (): RecordListStore => createRecordListStore(openTable("records"));

const applyTo = (store: RecordStore): Apply => createApply({ store, now: systemClock, newToken: newRequestToken });

/** For few observations at a time, such as an event's. */
export const wireApply = (): Apply => applyTo(createRecordStore(openTable("records")));

/** For pages of observations. */
export const wireApplyInBatches = (): Apply => {
  const table = openTable("records");
  return applyTo(createRecordStore(table, replaceInBatches(table, RECORD_VERSION)));
};
