/** The records of a deployed function. */

import { type Apply, createApply } from "../records/apply.ts";
import { createRecordListStore, type RecordListStore } from "../records/record-list-store.ts";
import { createRecordStore, type RecordStore } from "../records/record-store.ts";
import { systemClock } from "../runtime/clock.ts";
import { readConfig } from "../runtime/config.ts";
import { documentClient } from "../runtime/document-client.ts";
import { newRequestToken } from "../runtime/ids.ts";

const tableName = () => readConfig(["RECORDS_TABLE_NAME"]).RECORDS_TABLE_NAME;

/** @throws Error at cold start where the environment lacks a variable. */
export const wireRecordLists = (): RecordListStore => createRecordListStore(documentClient, tableName());

/** @throws Error at cold start where the environment lacks a variable. */
export const wireRecordStore = (): RecordStore => createRecordStore(documentClient, tableName());

/** What writes records. @throws Error at cold start where the environment lacks a variable. */
export const wireApply = (): Apply =>
  createApply({ store: wireRecordStore(), now: systemClock, newToken: newRequestToken });
