/** The records of a deployed function. All throw Error at cold start if a variable is missing. */

import { type Apply, createApply } from "../records/apply.ts";
import { createRecordListStore, type RecordListStore } from "../records/record-list-store.ts";
import { createRecordStore, type RecordStore } from "../records/record-store.ts";
import { systemClock } from "../runtime/clock.ts";
import { newRequestToken } from "../runtime/ids.ts";
import { openTable } from "../runtime/open-table.ts";

export const wireRecordLists = (): RecordListStore => createRecordListStore(openTable("records"));

const wireRecordStore = (): RecordStore => createRecordStore(openTable("records"));

export const wireApply = (): Apply =>
  createApply({ store: wireRecordStore(), now: systemClock, newToken: newRequestToken });
