import { Stack } from "aws-cdk-lib";
import { type Access, NO_ACCESS, together, variables } from "../resources/access.ts";
import type { AccessParts, Resources } from "./parts.ts";

/** The rights of the functions of notifications: their table, their secrets, and the queue of deliveries. */
export const notificationAccess = (
  { mutes, notifications, retention, securityAlerts, queueNotifications, recordSecurityEvents, seal }: AccessParts,
  { config, credentialsKey, notificationsToSend, mailConfigurationSet }: Resources,
) => {
  const secrets = (action: "Decrypt" | "GenerateDataKey"): Access => ({
    grants: [credentialsKey.grant(action, "notification")],
    environment: credentialsKey.environment,
  });

  const emailSender = variables(config.emailSender === undefined ? {} : { EMAIL_SENDER: config.emailSender });
  const targets = variables({ NOTIFICATION_TARGETS: config.notificationTargets });

  /** To store a destination and its secrets, and to send a mail that asks to confirm. */
  const writeDestination = together(
    notifications.may("GetItem", "PutItem", "UpdateItem", "DeleteItem"),
    secrets("Decrypt"),
    secrets("GenerateDataKey"),
    seal,
    queueNotifications,
    emailSender,
    targets,
  );

  /** To send mails as the sender only, whatever else SES authorizes the request on. docs/decisions.md, "E-mail". */
  const sendMail = (sender: string): Access => {
    const all = (resource: string) =>
      Stack.of(notificationsToSend).formatArn({ service: "ses", resource, resourceName: "*" });
    return {
      grants: [
        {
          actions: ["ses:SendEmail"],
          resources: [all("identity"), all("configuration-set")],
          conditions: { StringEquals: { "ses:FromAddress": sender } },
          wildcardReason:
            "SES also authorizes a mail on the identity's default configuration set, on a parent domain's identity and, in " +
            "the sandbox, on the recipient's identity, which are not known at deployment. ses:FromAddress bounds the right.",
        },
      ],
      environment: {},
    };
  };

  return {
    /** Transactions update notices and bundles, and put deliveries and held notifications. Late events read their alert. */
    "dispatch-notifications": together(
      notifications.may("Query", "GetItem", "PutItem", "UpdateItem", "DeleteItem"),
      securityAlerts.may("GetItem"),
      mutes.may("GetItem", "PutItem", "UpdateItem"),
      retention,
      queueNotifications,
    ),

    listDestinations: notifications.may("Query"),
    createDestination: writeDestination,
    changeDestination: writeDestination,
    deleteDestination: together(
      notifications.may("GetItem", "Query", "PutItem", "UpdateItem", "DeleteItem"),
      queueNotifications,
    ),
    testDestination: together(notifications.may("GetItem", "PutItem", "UpdateItem", "DeleteItem"), queueNotifications),
    listDeliveries: notifications.may("GetItem", "Query"),
    retryDelivery: together(notifications.may("GetItem", "UpdateItem"), queueNotifications),
    /** Anybody can call these two: the link is the authentication. */
    openEmailLink: together(notifications.may("GetItem"), seal),
    useEmailLink: together(
      notifications.may("GetItem", "Query", "PutItem", "UpdateItem"),
      seal,
      recordSecurityEvents,
      queueNotifications,
    ),

    /** Security events of paused destinations go to the bus. */
    "apply-mail-feedback": notifications.may("GetItem", "UpdateItem"),

    /** No other table: the function talks to hosts that users chose. */
    "send-notifications": together(
      notifications.may("GetItem", "Query", "UpdateItem", "DeleteItem"),
      secrets("Decrypt"),
      // For deliveries that wait for a slot.
      queueNotifications,
      {
        grants: [{ actions: ["sqs:ChangeMessageVisibility"], resources: [notificationsToSend.queueArn] }],
        environment: {},
      },
      config.emailSender === undefined ? NO_ACCESS : sendMail(config.emailSender),
      emailSender,
      variables(mailConfigurationSet === undefined ? {} : { EMAIL_CONFIGURATION_SET: mailConfigurationSet }),
      variables({ MAILS_PER_DAY: String(config.mailsPerDay) }),
      targets,
    ),
  };
};
