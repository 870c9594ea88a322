import { eventBuses } from "./resources/event-buses.ts";
import { eventInvokeConfigs } from "./resources/event-invoke-configs.ts";
import { eventSourceMappings } from "./resources/event-source-mappings.ts";
import { functionUrls } from "./resources/function-urls.ts";
import { functions } from "./resources/functions.ts";
import { httpApis } from "./resources/http-apis.ts";
import { keys } from "./resources/keys.ts";
import { permissions } from "./resources/permissions.ts";
import { queues } from "./resources/queues.ts";
import { roles } from "./resources/roles.ts";
import { rules } from "./resources/rules.ts";
import { secrets } from "./resources/secrets.ts";
import { tables } from "./resources/tables.ts";
import type { ResourceFamily } from "./stack-reader.ts";

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
