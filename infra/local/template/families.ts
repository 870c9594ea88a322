import { functions } from "./resources/functions.ts";
import { httpApis } from "./resources/http-apis.ts";
import { permissions } from "./resources/permissions.ts";
import { roles } from "./resources/roles.ts";
import { schedules } from "./resources/schedules.ts";
import { secrets } from "./resources/secrets.ts";
import { tables } from "./resources/tables.ts";
import type { ResourceFamily } from "./stack-reader.ts";

/** What the local cloud runs. A new kind of resource is a file in resources/ and a line here. */
export const families: readonly ResourceFamily[] = [
  functions,
  httpApis,
  permissions,
  roles,
  schedules,
  secrets,
  tables,
];
