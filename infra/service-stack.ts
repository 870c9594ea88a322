import { Annotations, CfnOutput, Stack, Tags } from "aws-cdk-lib";
import type { Queue } from "aws-cdk-lib/aws-sqs";
import type { Construct } from "constructs";
import packageJson from "../package.json" with { type: "json" };
import type { QueueName } from "../shared/api/queues.ts";
import { NO_ISSUER } from "./config.ts";
import { addBackgroundFunctions } from "./constructs/background-functions.ts";
import { ServiceEventBus } from "./constructs/event-bus.ts";
import { type AccessTo, accessTo } from "./constructs/grants.ts";
import { ServiceHttpApi } from "./constructs/http-api.ts";
import { limitResources } from "./constructs/limit-resources.ts";
import { MailEvents } from "./constructs/mail-events.ts";
import { AlarmNotices } from "./constructs/monitoring/alarm-notices.ts";
import { Monitoring } from "./constructs/monitoring/monitoring.ts";
import { NotificationQueues } from "./constructs/notification-queues.ts";
import { requireComplete } from "./constructs/require-complete.ts";
import { Backups } from "./constructs/resources/backups.ts";
import { ArchiveBucket, CheckpointsBucket, ExportsBucket, FeedBucket } from "./constructs/resources/buckets.ts";
import { CheckpointKey } from "./constructs/resources/checkpoint-key.ts";
import { CredentialsKey } from "./constructs/resources/credentials-key.ts";
import type { DeploymentConfig } from "./constructs/resources/deployment-config.ts";
import { providerSettings } from "./constructs/resources/provider-settings.ts";
import { SealingKey } from "./constructs/resources/sealing-key.ts";
import { createTables } from "./constructs/resources/tables.ts";
import { addRouteFunctions } from "./constructs/route-functions.ts";
import { SubjectStacks } from "./constructs/subject-stacks.ts";
import { WebhookEntrance } from "./constructs/webhook-entrance.ts";

/** The whole service of one stage, in one stack with a nested stack for the functions of each subject. */
export class ServiceStack extends Stack {
  readonly access: AccessTo;
  readonly api: ServiceHttpApi;

  constructor(scope: Construct, id: string, config: DeploymentConfig) {
    super(scope, id, {
      description: "Plant store and integration security monitoring",
      terminationProtection: config.isProtected,
      ...(config.region !== undefined && { env: { region: config.region } }),
    });
    limitResources(this);
    requireComplete();
    const tables = createTables(this, config);
    const backups = config.backup ? new Backups(this, "Backups", { tables, config }) : undefined;
    // The id is that of earlier versions: another one would replace the secret.
    const sealingKey = new SealingKey(this, "CursorKey");
    const events = new ServiceEventBus(this, "Events", config);
    const notifications = new NotificationQueues(this, "NotificationQueues", { bus: events.bus, config });
    const mailEvents = config.emailSender === undefined ? undefined : new MailEvents(this, "MailEvents", config);
    const credentialsKey = new CredentialsKey(this, "Credentials", config);
    const provider = providerSettings(config);
    const { bucket: exportsBucket } = new ExportsBucket(this, "Exports", config);
    const feedBucket = config.siemFeed ? new FeedBucket(this, "Feed", config).bucket : undefined;
    const archiveBucket = config.archiveMonths > 0 ? new ArchiveBucket(this, "Archive", config).bucket : undefined;
    const { bucket: checkpointsBucket } = new CheckpointsBucket(this, "Checkpoints", config);
    this.access = accessTo({
      checkpointsBucket,
      checkpointKey: new CheckpointKey(this, "CheckpointKey", config),
      checkpointOrigin: config.checkpointOrigin ?? `${this.stackName}.${this.region}.integration-security`,
      tables,
      config,
      credentialsKey,
      sealingKey,
      provider,
      exportsBucket,
      feedBucket,
      archiveBucket,
      notificationsToSend: notifications.toSend,
      mailConfigurationSet: mailEvents?.configurationSet,
    });
    const webhooks = new WebhookEntrance(this, "Webhooks", { access: this.access, events, config });
    const stacks = new SubjectStacks(this, "Subjects");
    const functions = addRouteFunctions({
      stacks,
      config,
      access: this.access,
      bus: events.bus,
      webhooks: webhooks.environment,
      webhookUrls: webhooks.urls,
    });
    const queues = new Map<QueueName, Queue>([
      ["SecurityEventNotRecorded", events.unrecorded],
      ["WebhookReceived", webhooks.received],
      ["AlertsToNotify", notifications.toNotify],
      ["NotificationsToSend", notifications.toSend],
      ...(mailEvents === undefined ? [] : ([["MailFeedback", mailEvents.queue]] as const)),
    ]);
    const { functions: background, rules } = addBackgroundFunctions(this, {
      stacks,
      access: this.access,
      bus: events.bus,
      queues,
      config,
    });
    this.api = new ServiceHttpApi(this, "HttpApi", { config, functions });
    for (const name of ["dispatch-notifications", "end-mutes", "send-notifications"] as const)
      background.get(name)?.addEnvironment("CONSOLE_URL", this.api.consoleUrl);
    background.get("send-notifications")?.addEnvironment("WEBHOOK_URLS", webhooks.urls.join(","));
    new Monitoring(this, "Monitoring", {
      config,
      api: this.api.api,
      webhooks,
      background,
      rules,
      queues,
      tables,
      backupVaultName: backups?.vault.backupVaultName,
    });
    if (config.alarmTopicArn !== undefined) new AlarmNotices(this, "AlarmNotices", { topicArn: config.alarmTopicArn });
    else if (config.isProtected)
      Annotations.of(this).addWarningV2(
        "plant-store:no-alarm-topic",
        "No alarmTopicArn was given: alarms are visible in CloudWatch only. docs/operations.md describes the topic.",
      );

    for (const [name, value] of Object.entries({ ...config.tags, product: "plant-store", stage: config.stage }))
      Tags.of(this).add(name, value);
    // An output, because a tag would change every resource with each release.
    new CfnOutput(this, "Version", { value: packageJson.version, description: "The version of the service" });
    new CfnOutput(this, "ApiUrl", { value: this.api.url, description: "The base URL of the API" });
    new CfnOutput(this, "ConsoleUrl", {
      value: this.api.consoleUrl,
      description:
        config.consoleClientId === undefined
          ? "The console: name its client at the issuer by consoleClientId to sign in"
          : "The console, and the redirect URI of its client at the issuer",
    });
    new CfnOutput(this, "Issuer", {
      value: config.issuer,
      description:
        config.issuer === NO_ISSUER
          ? "No issuer was given: this deployment trusts none, and every token is answered 401"
          : "The issuer whose tokens this deployment trusts",
    });
  }
}
