import { together } from "../resources/access.ts";
import type { AccessParts } from "./parts.ts";

/** Rights for notifications: their table, and the queue of deliveries. */
export const notificationAccess = ({ notifications, queueNotifications }: AccessParts) => ({
  /** Transactions update notices and bundles, and put deliveries and held notifications. */
  dispatchNotifications: together(notifications.may("Query", "GetItem", "PutItem", "UpdateItem"), queueNotifications),
});
