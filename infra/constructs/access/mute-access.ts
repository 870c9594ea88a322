import { DUE_MUTES } from "../../../shared/terms/tables.ts";
import { together } from "../resources/access.ts";
import type { AccessParts } from "./parts.ts";

/** The rights of the functions of mutes. A mute's alert is resolved with it: a put and a delete in one transaction. */
export const muteAccess = ({
  mutes,
  notifications,
  securityAlerts,
  retention,
  recordSecurityEvents,
  queueNotifications,
}: AccessParts) => ({
  listMutes: together(mutes.may("Query"), retention),
  getMute: together(mutes.may("GetItem"), retention),
  createMute: together(mutes.may("GetItem", "PutItem", "UpdateItem"), retention),
  endMute: together(
    mutes.may("GetItem", "UpdateItem"),
    securityAlerts.may("GetItem", "PutItem", "UpdateItem", "DeleteItem"),
    retention,
  ),
  /** Transactions hide alerts in other mutes, claim notices, and put deliveries and held notifications. */
  "end-mutes": together(
    recordSecurityEvents,
    mutes.query(DUE_MUTES),
    mutes.may("Query", "GetItem", "PutItem", "UpdateItem", "DeleteItem"),
    securityAlerts.may("GetItem", "PutItem", "DeleteItem"),
    notifications.may("Query", "GetItem", "PutItem", "UpdateItem"),
    queueNotifications,
  ),
});
