import type { ResourceFamily } from "../template/stack-reader.ts";
import { eventBuses } from "./event-buses.ts";
import { eventInvokeConfigs } from "./event-invoke-configs.ts";
import { eventSourceMappings } from "./event-source-mappings.ts";
import { functionUrls } from "./function-urls.ts";
import { functions } from "./functions.ts";
import { httpApis } from "./http-apis.ts";
import { keys } from "./keys.ts";
import { permissions } from "./permissions.ts";
import { queues } from "./queues.ts";
import { roles } from "./roles.ts";
import { rules } from "./rules.ts";
import { secrets } from "./secrets.ts";
import { tables } from "./tables.ts";

/** What the local cloud runs. A new kind of resource is a file in resources/ and a line here. */
export const families: readonly ResourceFamily[] = [
  eventBuses,
  eventInvokeConfigs,
  eventSourceMappings,
  functions,
  functionUrls,
  httpApis,
  keys,
  permissions,
  queues,
  roles,
  rules,
  secrets,
  tables,
];
