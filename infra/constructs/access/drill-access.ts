import { MONTHLY_DRILLS, OPEN_DRILLS } from "../../../shared/terms/tables.ts";
import { together } from "../resources/access.ts";
import type { AccessParts } from "./parts.ts";

/** The rights of the functions of fire drills. Whoever reads a drill looks at its deliveries, and ends it if it is over. */
export const drillAccess = (parts: AccessParts) => {
  const { drills, notifications, settings, securityAlerts, securityEvents, recordSecurityEvents, retention } = parts;
  const settle = together(drills.may("GetItem", "UpdateItem"), notifications.may("GetItem"), retention);
  return {
    startDrill: together(settle, drills.may("PutItem"), recordSecurityEvents),
    /** Its alert says who acknowledged it. */
    getDrill: together(settle, securityAlerts.may("GetItem")),
    "run-drills": together(
      settle,
      recordSecurityEvents,
      drills.query(OPEN_DRILLS),
      drills.may("PutItem"),
      settings.query(MONTHLY_DRILLS),
      notifications.may("Query"),
      securityEvents.may("BatchGetItem"),
    ),
  };
};
