import { CfnOutput } from "aws-cdk-lib";
import type { HttpApi } from "aws-cdk-lib/aws-apigatewayv2";
import { Rule } from "aws-cdk-lib/aws-events";
import { FunctionUrlAuthType, type Function as LambdaFunction } from "aws-cdk-lib/aws-lambda";
import type { Queue } from "aws-cdk-lib/aws-sqs";
import { Construct } from "constructs";
import { backgroundFunctions } from "../../shared/api/background-functions.ts";
import { WEBHOOK_RECEIVES } from "../../shared/terms/webhook-queue.ts";
import { addQueue, queueTarget } from "./add-queue.ts";
import { patternOf, type ServiceEventBus } from "./event-bus.ts";
import type { AccessTo } from "./grants.ts";
import type { DeploymentConfig } from "./resources/deployment-config.ts";
import { ServiceFunction } from "./service-function.ts";
import { WebhookApi } from "./webhook-api.ts";

type Props = { access: AccessTo; events: Pick<ServiceEventBus, "bus">; config: DeploymentConfig };

/** Receives the provider's webhooks: their address, its function and the queue of received events. docs/webhooks.md. */
export class WebhookEntrance extends Construct {
  /** The base URL with a slash at its end, to which the organization is appended. */
  readonly url: string;
  /** All addresses: two while endpoints move from the function URL to the API. */
  readonly urls: readonly string[];
  /** The variables of functions that show the address. */
  readonly environment: Readonly<Record<string, string>>;
  /** The function behind the address. */
  readonly receive: LambdaFunction;
  /** The HTTP API of the address, if it is not a function URL. */
  readonly api: HttpApi | undefined;
  /** Keeps events for functions/webhooks/process-webhook.ts. */
  readonly received: Queue;

  constructor(scope: Construct, id: string, { access, events, config }: Props) {
    super(scope, id);

    this.receive = new ServiceFunction(this, "ReceiveWebhook", {
      file: "receive-webhook",
      description: "POST {webhook URL}/{organizationId}",
      access: access["receive-webhook"],
      bus: events.bus,
      config,
      reservedConcurrency: config.reservedConcurrency["receive-webhook"],
    }).function;
    // The signature authenticates the provider, which supports no other authentication.
    const addFunctionUrl = () => this.receive.addFunctionUrl({ authType: FunctionUrlAuthType.NONE }).url;
    if (config.webhookEntrance === "url") {
      this.url = addFunctionUrl();
      this.urls = [this.url];
    } else {
      const { url, api } = new WebhookApi(this, "Api", { config, target: this.receive });
      this.url = url;
      this.api = api;
      // While endpoints at the provider move to the API, those with the function URL continue to work.
      this.urls = config.webhookEntrance === "both" ? [url, addFunctionUrl()] : [url];
    }
    this.environment = { WEBHOOK_URL: this.url, WEBHOOK_ENTRANCE: config.webhookEntrance === "url" ? "url" : "api" };
    new CfnOutput(this, "Url", { value: this.url, description: "The base URL of webhooks; append the organization" });
    if (config.platformWebhookSecretArn !== undefined) {
      new CfnOutput(this, "PlatformUrl", {
        value: `${this.url}-/platform`,
        description: "The URL of the platform's own webhook endpoint at the provider",
      });
    }

    const received = addQueue(this, {
      config,
      workSeconds: backgroundFunctions["process-webhook"].timeoutSeconds,
      ids: { queue: "Received", deadLetters: "DeadLetters" },
      maxReceives: WEBHOOK_RECEIVES,
      contents: "Keeps the webhooks that could not be applied, until they are replayed",
    });
    this.received = received.queue;
    new Rule(this, "OnWebhookReceived", {
      eventBus: events.bus,
      description: "Queues the events of webhooks",
      eventPattern: patternOf("WebhookReceived"),
      targets: [queueTarget(received)],
    });
  }
}
