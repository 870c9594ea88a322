import { type Access, together, variables } from "../resources/access.ts";
import type { AccessParts, Resources } from "./parts.ts";

/** Rights for notifications: their table, their secrets, and the queue of deliveries. */
export const notificationAccess = (
  { notifications, queueNotifications, recordSecurityEvents, sealForClients }: AccessParts,
  { config, credentialsKey }: Resources,
) => {
  const secrets = (action: "Decrypt" | "GenerateDataKey"): Access => ({
    grants: [credentialsKey.grant(action, "notification")],
    environment: credentialsKey.environment,
  });

  const emailSender = variables(config.emailSender === undefined ? {} : { EMAIL_SENDER: config.emailSender });

  /** To store a destination and its secrets, and to send a mail that asks to confirm. */
  const writeDestination = together(
    notifications.may("GetItem", "PutItem", "UpdateItem", "DeleteItem"),
    secrets("Decrypt"),
    secrets("GenerateDataKey"),
    ...[sealForClients, queueNotifications, emailSender],
  );

  return {
    /** Transactions update notices and bundles, and put deliveries and held notifications. */
    dispatchNotifications: together(notifications.may("Query", "GetItem", "PutItem", "UpdateItem"), queueNotifications),

    listDestinations: notifications.may("Query"),
    createDestination: writeDestination,
    changeDestination: writeDestination,
    deleteDestination: notifications.may("GetItem", "UpdateItem", "DeleteItem"),
    testDestination: together(notifications.may("GetItem", "PutItem", "DeleteItem"), queueNotifications),
    listDeliveries: notifications.may("GetItem", "Query"),
    retryDelivery: together(notifications.may("GetItem", "UpdateItem"), queueNotifications),
    /** Anybody can call these two: the link is the authentication. */
    openEmailLink: together(notifications.may("GetItem"), sealForClients),
    useEmailLink: together(notifications.may("GetItem", "UpdateItem"), sealForClients, recordSecurityEvents),
  };
};
