import { readConfig } from "../runtime/config.ts";
import { documentClient } from "../runtime/document-client.ts";
import { createErasureStore } from "./erasure-store.ts";

/** The erasures of a deployed function. @throws Error where the environment lacks a variable. */
export const wireErasureStore = () =>
  createErasureStore(documentClient, readConfig(["ERASURES_TABLE_NAME"]).ERASURES_TABLE_NAME);
