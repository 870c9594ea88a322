import { together } from "../resources/access.ts";
import type { AccessParts } from "./parts.ts";

/** The rights of the functions of mutes. A mute's alert is resolved with it: a put and a delete in one transaction. */
export const muteAccess = ({ mutes, securityAlerts, retention }: AccessParts) => ({
  listMutes: together(mutes.may("Query"), retention),
  getMute: together(mutes.may("GetItem"), retention),
  createMute: together(mutes.may("GetItem", "PutItem", "UpdateItem"), retention),
  endMute: together(
    mutes.may("GetItem", "UpdateItem"),
    securityAlerts.may("GetItem", "PutItem", "UpdateItem", "DeleteItem"),
    retention,
  ),
});
