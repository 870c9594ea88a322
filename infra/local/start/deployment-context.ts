import { nameOfVariable, readText, type Variables } from "./variables.ts";

/** Variables of `npm start` that set context keys of the deployment (infra/config.ts). */
const CONTEXT_KEYS = {
  RETENTION_DAYS: "RETENTION_DAYS",
  SECURITY_LOG_LEVEL: "SECURITY_LOG_LEVEL",
  ALERT_THRESHOLD: "ALERT_THRESHOLD",
  SYNC_INTERVAL_HOURS: "SYNC_INTERVAL_HOURS",
  ORGANIZATION_CLAIM: "organizationClaim",
  ROLE_CLAIM: "roleClaim",
  ROLE_MAPPING: "roleMapping",
} as const;

/** The context that the variables ask for. An empty variable counts as missing. */
export const deploymentContext = (variables: Variables): Record<string, string> =>
  Object.fromEntries(
    Object.entries(CONTEXT_KEYS).flatMap(([variable, key]) => {
      const value = readText(variables, variable);
      return value === undefined ? [] : [[key, value]];
    }),
  );

/** How an error names a context key that a variable sets. */
export const nameOfSetting = (key: string): string =>
  nameOfVariable(Object.entries(CONTEXT_KEYS).find(([, one]) => one === key)?.[0] ?? key);
