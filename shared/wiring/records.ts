/** The records of a deployed function. All throw Error at cold start if a variable is missing. */

import { type Apply, createApply } from "../records/apply.ts";
import { createRecordListStore, type RecordListStore } from "../records/record-list-store.ts";
import { createRecordStore, type RecordStore } from "../records/record-store.ts";
import { systemClock } from "../runtime/clock.ts";
import { readConfig } from "../runtime/config.ts";
import { documentClient } from "../runtime/document-client.ts";
import { newRequestToken } from "../runtime/ids.ts";

const tableName = () => readConfig(["RECORDS_TABLE_NAME"]).RECORDS_TABLE_NAME;

export const wireRecordLists = (): RecordListStore => createRecordListStore(documentClient, tableName());

const wireRecordStore = (): RecordStore => createRecordStore(documentClient, tableName());

export const wireApply = (): Apply =>
  createApply({ store: wireRecordStore(), now: systemClock, newToken: newRequestToken });
