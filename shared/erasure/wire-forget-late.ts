import { readConfig } from "../runtime/config.ts";
import { documentClient } from "../runtime/document-client.ts";
import { createForgetLate, type ForgetLate } from "./forget-late.ts";
import { createLateStore } from "./late-store.ts";

/** For the function that restores events. @throws Error at cold start where the environment lacks a variable. */
export const wireForgetLate = (): ForgetLate =>
  createForgetLate({ late: createLateStore(documentClient, readConfig(["ERASURES_TABLE_NAME"]).ERASURES_TABLE_NAME) });
