import { basename, dirname, join } from "node:path";
import { beforeAll, describe, expect, it } from "@jest/globals";
import { functionFiles } from "../../infra/bundling/bundle-functions.ts";
import { NO_ISSUER } from "../../infra/config.ts";
import { readTemplates } from "../../infra/flat-template.ts";
import { allBackgroundFunctions, backgroundFunctions } from "../../shared/api/background-functions.ts";
import { consumedEvents } from "../../shared/api/consumed-events.ts";
import { pageRoutesOf, pathsOf } from "../../shared/api/page-routes.ts";
import { allRoutes, refusedRoutes } from "../../shared/api/routes.ts";
import { DUE_SLOTS } from "../../shared/detection/detection.ts";
import { assemblyDirectory } from "../support/assembly.ts";
import {
  OAUTH_SECRET,
  OPERATORS,
  ORIGIN_SECRET_HASH,
  productionAssembly,
  WEBHOOK_SECRET,
} from "../support/production-assembly.ts";
import { statementsOfRole } from "../support/role-statements.ts";
import { type Template, templateIn } from "../support/template.ts";

/** The service in development, with secrets of the platform (prepare-assembly.ts). */
let dev: Template;
let prod: Template;
let directories: string[];
beforeAll(async () => {
  dev = templateIn(assemblyDirectory);
  const production = await productionAssembly();
  prod = templateIn(production);
  directories = [assemblyDirectory, production];
});

/** The variables of a function by its file's description. */
const environmentOf = (template: Template, description: string): Record<string, unknown> => {
  const [found] = Object.values(
    template.findResources("AWS::Lambda::Function", { Properties: { Description: description } }),
  );
  return found?.Properties.Environment.Variables ?? {};
};

const typeOf = ({ Type }: { Type: string }) => Type;

/** The statements of a function's role. Finds the function by its description. */
const statementsOf = (template: Template, description: string) => {
  const [found] = Object.values(
    template.findResources("AWS::Lambda::Function", { Properties: { Description: description } }),
  );
  return statementsOfRole(template.toJSON().Resources, found?.Properties.Role["Fn::GetAtt"][0]);
};

/** The rights of a function's role in addition to its log, as `Table/index action`. */
const rightsOf = (template: Template, description: string): string[] =>
  statementsOf(template, description)
    .flatMap(({ Action, Resource, Condition }) => {
      const purpose = Condition?.StringEquals["kms:EncryptionContext:purpose"];
      const of = purpose === undefined ? "" : ` of ${purpose}`;
      return [Resource]
        .flat()
        .flatMap((resource) => [Action].flat().map((action) => `${nameOf(resource)} ${action}${of}`));
    })
    .filter((right, index, all) => !right.includes(" logs:") && all.indexOf(right) === index)
    .sort();

/** `SecurityEvents` or `SecurityEvents/byUser`, without the CDK's prefixes and hashes. */
const nameOf = (resource: unknown): string => {
  const text = JSON.stringify(resource);
  const name = /(?:Tables|Events)?([A-Z][A-Za-z]+?)[0-9A-F]{8}/.exec(text)?.[1] ?? text;
  const index = /index\/(\w+)/.exec(text)?.[1];
  return index === undefined ? name : `${name}/${index}`;
};

/** Rights to a table, or to an index of it. */
const may = (table: string, ...actions: string[]) => actions.map((action) => `${table} dynamodb:${action}`);

/** The rights to record security events. */
const RECORDING = [
  "Bus events:PutEvents",
  "SecurityAlerts dynamodb:UpdateItem",
  "SecurityEvents dynamodb:PutItem",
  "SecurityRollups dynamodb:PutItem",
  "Settings dynamodb:GetItem",
];

/** The rights that every function with tokens needs to record and count refusals. */
const REFUSING = [...RECORDING, "SecurityEvents dynamodb:UpdateItem", "SecurityRollups dynamodb:UpdateItem"];

/** The rights of every function behind the integration's endpoints, which also read the settings to admit callers. */
const ADMITTING = [...REFUSING, "Settings dynamodb:GetItem"];

/** The rights to resolve alerts whose cause is gone. */
const RESOLVING = may("SecurityAlerts", "GetItem", "PutItem", "DeleteItem");

const READING_SEALING_KEY = "CursorKeySecret secretsmanager:GetSecretValue";

const TAKING_KEYS = [READING_SEALING_KEY, ...may("IdempotencyKeys", "DeleteItem", "PutItem", "UpdateItem")];
const READING_CIRCUITS = [
  ...may("Circuits", "BatchGetItem", "GetItem"),
  "Circuits/notClosed dynamodb:Query",
  "Connections dynamodb:GetItem",
];

/** The rights to call the provider with an organization's credentials. */
const USING_CONNECTIONS = [
  ...READING_CIRCUITS,
  "Circuits dynamodb:UpdateItem",
  "Connections dynamodb:UpdateItem",
  "CredentialsKey kms:Decrypt of provider-credentials",
  "CredentialsKey kms:GenerateDataKey of provider-credentials",
  // A slow operation is compared with earlier ones.
  ...may("Detection", "GetItem", "Query"),
  "SecurityEvents dynamodb:Query",
  "SyncRuns dynamodb:UpdateItem",
];

const secretArn = (name: string) => `"arn:aws:secretsmanager:eu-central-1:000000000000:secret:${name}-AbCdEf"`;
/** The rights to read the platform's secrets that the context names. */
const READING_OAUTH_SECRET = `${secretArn("provider-oauth")} secretsmanager:GetSecretValue`;
const READING_WEBHOOK_SECRET = `${secretArn("platform-webhooks")} secretsmanager:GetSecretValue`;

const CHANGING_RUNS = [...may("SyncRuns", "GetItem", "PutItem", "UpdateItem")];

const PROVIDER = "/api/integrations/provider";

describe("the stack", () => {
  it.each([
    ["POST /plants", [...REFUSING, ...TAKING_KEYS, "Plants dynamodb:PutItem"]],
    ["GET /plants", [...REFUSING, READING_SEALING_KEY, "Plants dynamodb:Query"]],
    ["DELETE /plants/{id}", [...REFUSING, "Plants dynamodb:DeleteItem"]],
    [
      `GET ${PROVIDER}/security`,
      [
        ...ADMITTING,
        READING_SEALING_KEY,
        "SecurityAlerts dynamodb:Query",
        ...may("SecurityEvents", "BatchGetItem", "Query"),
        ...["byCategory", "byOpen", "byRisk", "byType", "byUser"].map(
          (index) => `SecurityEvents/${index} dynamodb:Query`,
        ),
        "SecurityRollups dynamodb:Query",
      ],
    ],
    [`GET ${PROVIDER}/circuit-breaker`, [...ADMITTING, ...READING_CIRCUITS]],
    [
      `GET ${PROVIDER}/circuit-breaker/history`,
      [
        ...ADMITTING,
        READING_SEALING_KEY,
        "SecurityEvents dynamodb:BatchGetItem",
        "SecurityEvents/byType dynamodb:Query",
      ],
    ],
    [
      `POST ${PROVIDER}/circuit-breaker`,
      [...ADMITTING, ...TAKING_KEYS, ...READING_CIRCUITS, "Circuits dynamodb:UpdateItem"],
    ],
    [
      `POST ${PROVIDER}/security/alert`,
      [
        ...ADMITTING,
        ...TAKING_KEYS,
        "SecurityEvents dynamodb:UpdateItem",
        ...may("SecurityAlerts", "ConditionCheckItem", "DeleteItem", "GetItem", "PutItem", "UpdateItem"),
        "Mutes dynamodb:GetItem",
      ],
    ],
    [
      `GET ${PROVIDER}/security/alert/{id}`,
      [...ADMITTING, ...may("SecurityAlerts", "GetItem", "Query"), "Mutes dynamodb:GetItem"],
    ],
    [`GET ${PROVIDER}/connection`, [...ADMITTING, "Connections dynamodb:GetItem", "SyncRuns dynamodb:GetItem"]],
    [
      `PUT ${PROVIDER}/connection`,
      [
        ...ADMITTING,
        READING_SEALING_KEY,
        ...USING_CONNECTIONS,
        ...CHANGING_RUNS,
        READING_OAUTH_SECRET,
        ...may("Connections", "PutItem", "DeleteItem"),
        ...RESOLVING,
        "CredentialsKey kms:GenerateDataKey of webhook-secrets",
      ],
    ],
    [
      `DELETE ${PROVIDER}/connection`,
      [
        ...ADMITTING,
        ...USING_CONNECTIONS.filter((right) => right !== "CredentialsKey kms:GenerateDataKey of provider-credentials"),
        ...CHANGING_RUNS,
        ...RESOLVING,
      ],
    ],
    [
      `PUT ${PROVIDER}/connection/webhook-secrets`,
      [
        ...ADMITTING,
        ...may("Connections", "GetItem", "UpdateItem"),
        "CredentialsKey kms:Decrypt of webhook-secrets",
        "CredentialsKey kms:GenerateDataKey of webhook-secrets",
        "SyncRuns dynamodb:GetItem",
      ],
    ],
    [`POST ${PROVIDER}/connection/authorize`, [...ADMITTING, READING_SEALING_KEY]],
    [
      `POST ${PROVIDER}/sync`,
      [...ADMITTING, ...TAKING_KEYS, ...CHANGING_RUNS, "Circuits dynamodb:GetItem", "Connections dynamodb:GetItem"],
    ],
    [`GET ${PROVIDER}/sync`, [...ADMITTING, READING_SEALING_KEY, ...may("SyncRuns", "GetItem", "Query")]],
    [
      `GET ${PROVIDER}/webhooks`,
      [
        ...ADMITTING,
        READING_SEALING_KEY,
        "WebhookEvents dynamodb:BatchGetItem",
        "WebhookEvents/byReceipt dynamodb:Query",
      ],
    ],
    [
      `POST ${PROVIDER}/webhooks/{id}/replay`,
      [...ADMITTING, ...TAKING_KEYS, ...may("WebhookEvents", "GetItem", "UpdateItem")],
    ],
    [
      `GET ${PROVIDER}/records/{type}`,
      [
        ...ADMITTING,
        READING_SEALING_KEY,
        "Records dynamodb:BatchGetItem",
        "Records/byCreated dynamodb:Query",
        "Records/byCustomer dynamodb:Query",
      ],
    ],
    [`GET ${PROVIDER}/me`, ADMITTING],
    [`GET ${PROVIDER}/settings`, ADMITTING],
    [`PUT ${PROVIDER}/settings`, [...ADMITTING, ...may("Settings", "PutItem", "UpdateItem")]],
    [
      "Works on sync runs, and proves API keys",
      [
        ...RECORDING,
        ...USING_CONNECTIONS,
        ...CHANGING_RUNS,
        READING_OAUTH_SECRET,
        ...may("SyncRuns", "BatchGetItem", "Query"),
        ...may("Records", "BatchGetItem", "GetItem", "PartiQLInsert", "PartiQLUpdate", "PutItem", "Query"),
        "WebhookEvents dynamodb:BatchGetItem",
        // To count the money of events.
        ...may("Detection", "PutItem", "UpdateItem"),
        ...may("SecurityEvents", "BatchGetItem", "Query"),
        "SecurityEvents/byType dynamodb:Query",
      ],
    ],
    // No rights to API keys and records: it decrypts webhook secrets and stores events.
    [
      "POST {webhook URL}/{organizationId}",
      [
        ...REFUSING,
        READING_WEBHOOK_SECRET,
        "Connections dynamodb:GetItem",
        "CredentialsKey kms:Decrypt of webhook-secrets",
        ...may("WebhookEvents", "GetItem", "PutItem", "UpdateItem"),
      ],
    ],
    [
      "Publishes webhook events that are still in the outbox",
      ["Bus events:PutEvents", "WebhookEvents dynamodb:UpdateItem", "WebhookEvents/byPending dynamodb:Query"],
    ],
    [
      "Requests detection for the hours that have not been judged",
      [
        "Bus events:PutEvents",
        "Connections/byConnected dynamodb:Query",
        ...may("Detection", "PutItem", "Query"),
        "Detection/bySilence dynamodb:Query",
        "Detection/byUnjudged dynamodb:Query",
        "SecurityRollups/byOpenHour dynamodb:Query",
        "SyncRuns dynamodb:BatchGetItem",
      ],
    ],
    [`GET ${PROVIDER}/reports`, [...ADMITTING, READING_SEALING_KEY, "Reports dynamodb:Query"]],
    [`GET ${PROVIDER}/reports/{id}`, [...ADMITTING, "Reports dynamodb:GetItem"]],
    [
      `GET ${PROVIDER}/reports/{id}/page`,
      [...ADMITTING, READING_SEALING_KEY, ...may("Reports", "BatchGetItem", "GetItem")],
    ],
    [`GET ${PROVIDER}/security/exports`, [...ADMITTING, READING_SEALING_KEY, "Exports dynamodb:Query"]],
    [`GET ${PROVIDER}/security/exports/{id}`, [...ADMITTING, "Exports dynamodb:GetItem", "ExportsBucket s3:GetObject"]],
    [
      `POST ${PROVIDER}/security/exports`,
      [
        ...ADMITTING,
        ...TAKING_KEYS,
        "Evidence dynamodb:GetItem",
        ...may("Exports", "GetItem", "PutItem", "UpdateItem"),
      ],
    ],
    [
      "Writes the files of exports, and deletes them",
      [
        ...RECORDING,
        ...["GetObject", "ListBucket"].map((action) => `ArchiveBucket s3:${action}`),
        "CheckpointKey kms:GetPublicKey",
        ...["GetObject", "ListBucket"].map((action) => `CheckpointsBucket s3:${action}`),
        "Detection dynamodb:Query",
        "Erasures dynamodb:Query",
        ...may("Evidence", "GetItem", "Query"),
        "Exports dynamodb:UpdateItem",
        "SecurityRollups dynamodb:Query",
        "Settings dynamodb:GetItem",
        ...["AbortMultipartUpload", "DeleteObject", "GetObject", "ListBucket", "PutObject"].map(
          (action) => `ExportsBucket s3:${action}`,
        ),
        ...may("SecurityEvents", "BatchGetItem", "Query"),
        "Records/byCreated dynamodb:Query",
        ...["byCategory", "byOpen", "byRisk", "byType", "byUser"].map(
          (index) => `SecurityEvents/${index} dynamodb:Query`,
        ),
        "SecurityAlerts dynamodb:Query",
        "SecurityAlerts/byStatus dynamodb:Query",
        ...may("Reports", "GetItem", "Query"),
        "Notifications dynamodb:Query",
        "Mutes dynamodb:Query",
      ],
    ],
    [
      "Requests a worker for exports and previews without one, and for files to delete",
      [
        "Bus events:PutEvents",
        "Exports dynamodb:GetItem",
        "Exports/byOpen dynamodb:Query",
        "Previews dynamodb:GetItem",
        "Previews/byOpen dynamodb:Query",
      ],
    ],
    [`GET ${PROVIDER}/erasure`, [...ADMITTING, READING_SEALING_KEY, "Erasures dynamodb:Query"]],
    [
      "Requests a sync run of each connected organization",
      ["Bus events:PutEvents", "Connections/byConnected dynamodb:Query", ...may("SyncRuns", "GetItem", "PutItem")],
    ],
    [
      "Requests a worker for sync runs without one, scheduled runs that were lost, and proofs of API keys",
      [
        "Bus events:PutEvents",
        "Connections/byConnected dynamodb:Query",
        "Connections dynamodb:BatchGetItem",
        "SyncRuns/byActive dynamodb:Query",
        ...may("SyncRuns", "BatchGetItem", "GetItem", "PutItem"),
      ],
    ],
    ["GET /openapi.json", []],
    ["GET /docs", []],
    ["GET /docs/{file}", []],
    ["Answers requests that match no route", []],
  ])("grants %s only the rights that it needs", (description, rights) => {
    expect(rightsOf(dev, description)).toEqual([...new Set(rights)].sort());
  });

  it("lets the sender of notifications, which talks to hosts that users chose, reach no other table", () => {
    const rights = rightsOf(dev, "Sends notifications to their destinations");
    const actions = ["ChangeMessageVisibility", "DeleteMessage", "GetQueueAttributes", "ReceiveMessage", "SendMessage"];
    expect(rights.filter((right) => !right.endsWith(" ses:SendEmail"))).toEqual([
      "Bus events:PutEvents",
      "CredentialsKey kms:Decrypt of notification",
      ...actions.map((action) => `NotificationQueuesToSend sqs:${action}`),
      ...may("Notifications", "DeleteItem", "GetItem", "Query", "UpdateItem"),
    ]);
    const senders = rights.filter((right) => right.endsWith(" ses:SendEmail"));
    expect(senders.map((right) => /:([a-z-]+\/[^"]+)"/.exec(right)?.[1])).toEqual([
      "configuration-set/*",
      "identity/*",
    ]);
    const statements = statementsOf(dev, "Sends notifications to their destinations");
    expect(statements.filter(({ Action }) => Action === "ses:SendEmail")).toMatchObject([
      { Condition: { StringEquals: { "ses:FromAddress": "alerts@plant-store.example" } } },
    ]);
  });

  it("has an API route for every route of the table and every refused one, and a default route; /docs only if asked for", () => {
    const keysOf = (template: Template) =>
      Object.values(template.findResources("AWS::ApiGatewayV2::Route"))
        .map((route) => route.Properties.RouteKey)
        .sort();
    const table = [...allRoutes.map(([, route]) => route), ...refusedRoutes];
    const keys = [...table.map(({ method, path }) => `${method} ${path}`), "$default"];
    const keysOfPages = (pages: ReturnType<typeof pageRoutesOf>) =>
      pages.flatMap(([, page]) => pathsOf(page).map((path) => `${page.method} ${path}`));
    const pages = keysOfPages(pageRoutesOf({ apiDocs: true }));
    expect(pages).toEqual(expect.arrayContaining(["GET /console", "GET /console/{view+}", "GET /docs"]));
    expect(keysOf(dev)).toEqual([...keys, ...pages].sort());
    // The other routes of production belong to the API of webhooks.
    expect(keysOf(prod)).toEqual(expect.arrayContaining([...keys, ...keysOfPages(pageRoutesOf({ apiDocs: false }))]));
    expect(keysOf(prod).filter((key) => key.includes("docs"))).toEqual([]);
    expect(JSON.stringify(prod.toJSON())).not.toMatch(/GET \/docs|API_DOCS/);
    dev.hasResourceProperties("AWS::Lambda::Function", {
      Description: "Answers requests that match no route",
      Environment: { Variables: { API_DOCS: "true" } },
    });
  });

  it("lets the API invoke the functions of its routes, and no others", () => {
    const [api] = Object.keys(dev.findResources("AWS::ApiGatewayV2::Api"));
    const invoked = Object.values(dev.findResources("AWS::ApiGatewayV2::Integration")).map(({ Properties }) => {
      expect(Properties).toMatchObject({ ApiId: { Ref: api }, IntegrationType: "AWS_PROXY" });
      expect(Properties).not.toHaveProperty("CredentialsArn");
      return Properties.IntegrationUri;
    });
    const permissions = Object.values(
      dev.findResources("AWS::Lambda::Permission", { Properties: { Principal: "apigateway.amazonaws.com" } }),
    );
    for (const { Properties } of permissions)
      expect(Properties).toMatchObject({
        Action: "lambda:InvokeFunction",
        SourceArn: { "Fn::Join": ["", expect.arrayContaining([":execute-api:", { Ref: api }, "/*/*"])] },
      });
    const ids = (arns: { "Fn::GetAtt": [string, string] }[]) => arns.map((arn) => arn["Fn::GetAtt"][0]).sort();
    expect(ids(permissions.map(({ Properties }) => Properties.FunctionName))).toEqual(ids(invoked));
  });

  it("keeps what holds data, an address or a unique name in the root, under the logical ids of earlier versions", () => {
    const { root, nested } = readTemplates(assemblyDirectory);
    const inNested = new Set([...nested.values()].flatMap(({ Resources }) => Object.values(Resources).map(typeOf)));
    expect([...inNested].sort()).toEqual([
      "AWS::ApiGatewayV2::Integration",
      "AWS::Events::Rule",
      "AWS::IAM::Role",
      "AWS::Lambda::EventSourceMapping",
      "AWS::Lambda::Function",
      "AWS::Lambda::Permission",
      "AWS::Logs::LogGroup",
    ]);
    // Two resources of one name exist for a moment if one moves, and the second one cannot be created.
    const named = /"(?:\w*Name|RouteKey)":"[^"]*(?:plant-store|\/)/;
    for (const { Resources } of nested.values())
      for (const { Properties } of Object.values(Resources)) expect(JSON.stringify(Properties)).not.toMatch(named);
    const properties = (id: string) => root.Resources[id]?.Properties;
    expect(properties("HttpApiPOSTplants49EADAE8")).toMatchObject({ RouteKey: "POST /plants" });
    expect(properties("HttpApiDefaultRoute429244B6")).toMatchObject({ RouteKey: "$default" });
  });

  it("has the functions of each folder in a nested stack", () => {
    const { nested } = readTemplates(assemblyDirectory);
    // `process-webhook` is in the id ProcessWebhookFunction, and `circuit-breaker` in SubjectsCircuitBreaker.
    const idOf = (name: string) => name.replaceAll("-", "").toLowerCase();
    const folderOf = new Map(
      [...functionFiles(join(import.meta.dirname, "..", ".."))].map(([name, file]) => [
        idOf(name),
        idOf(basename(dirname(file))),
      ]),
    );
    const placed = [...nested].flatMap(([file, { Resources }]) =>
      Object.entries(Resources)
        .filter(([, resource]) => typeOf(resource) === "AWS::Lambda::Function")
        .map(([id]) => [id, file] as const),
    );
    expect(placed.length).toBeGreaterThan(50);
    for (const [id, file] of placed) {
      const [name = ""] = [...folderOf.keys()].filter((one) => new RegExp(`${one}Function[0-9A-F]{8}$`, "i").test(id));
      const inFolder = expect.stringMatching(new RegExp(`Subjects${folderOf.get(name)}`, "i"));
      expect({ id, file }).toEqual({ id, file: inFolder });
    }
  });

  it("leaves room for 150 more resources below 400 in each stack, and for more parameters and outputs", () => {
    for (const directory of directories) {
      const { root, nested } = readTemplates(directory);
      for (const { Resources, Parameters = {}, Outputs = {} } of [root, ...nested.values()]) {
        expect(Object.keys(Resources).length).toBeLessThanOrEqual(250);
        // Of 200 each: https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/cloudformation-limits.html
        expect(Object.keys(Parameters).length).toBeLessThanOrEqual(100);
        expect(Object.keys(Outputs).length).toBeLessThanOrEqual(100);
      }
    }
  });

  it("lets Lambda poll the queues by rights in the consumers' roles", () => {
    const polling = ["sqs:DeleteMessage", "sqs:GetQueueAttributes", "sqs:ReceiveMessage"];
    for (const [description, queue] of [
      ["Applies the events of webhooks to the records", "WebhooksReceived"],
      ["Records security events that could not be recorded when they happened", "UnrecordedSecurityEvents"],
    ] as const)
      expect(rightsOf(dev, description).filter((right) => right.includes(" sqs:"))).toEqual(
        polling.map((action) => `${queue} ${action}`),
      );
    dev.resourceCountIs("AWS::IAM::Policy", 0);
  });

  it("runs every function on Node 24 with a log retention of 30 days", () => {
    dev.allResourcesProperties("AWS::Lambda::Function", {
      Runtime: "nodejs24.x",
      LoggingConfig: { LogGroup: expect.anything() },
    });
    dev.allResourcesProperties("AWS::Logs::LogGroup", { RetentionInDays: 30 });
  });

  it("has on-demand tables with point-in-time recovery, protected and retained outside development", () => {
    const recovery = { PointInTimeRecoveryEnabled: true, RecoveryPeriodInDays: 7 };
    for (const template of [dev, prod]) {
      template.allResourcesProperties("AWS::DynamoDB::Table", {
        BillingMode: "PAY_PER_REQUEST",
        PointInTimeRecoverySpecification: recovery,
        DeletionProtectionEnabled: template === prod,
      });
      template.allResources("AWS::DynamoDB::Table", {
        DeletionPolicy: template === prod ? "RetainExceptOnCreate" : "Delete",
      });
    }
  });

  it("keeps tables, key and evidence queues of production if the stack is deleted or an update replaces them", () => {
    for (const type of ["AWS::DynamoDB::Table", "AWS::KMS::Key", "AWS::SQS::Queue"]) {
      prod.allResources(type, { DeletionPolicy: "RetainExceptOnCreate", UpdateReplacePolicy: "Retain" });
      dev.allResources(type, { DeletionPolicy: "Delete", UpdateReplacePolicy: "Delete" });
    }
  });

  it("sends every alarm to the operators' topic if there is one", () => {
    const alarmsOf = (template: Template) => Object.values(template.findResources("AWS::CloudWatch::Alarm"));
    // Backups are made in production only.
    expect(alarmsOf(prod)).toHaveLength(alarmsOf(dev).length + 1);
    for (const { Properties } of alarmsOf(prod))
      expect(Properties).toMatchObject({ AlarmActions: [OPERATORS], OKActions: [OPERATORS] });
    for (const { Properties } of alarmsOf(dev)) expect(Properties).not.toHaveProperty("AlarmActions");
  });

  it("watches the search for lost occurrences if two intervals of syncing are longer than an alarm can look back", () => {
    prod.hasResourceProperties("AWS::CloudWatch::Alarm", {
      AlarmName: "plant-store-prod-SyncsStopped",
      Namespace: "PlantStore/prod",
      MetricName: "LostSyncOccurrences",
      Threshold: 1,
      ComparisonOperator: "GreaterThanOrEqualToThreshold",
      EvaluationPeriods: 1,
    });
    dev.hasResourceProperties("AWS::CloudWatch::Alarm", {
      AlarmName: "plant-store-dev-SyncsStopped",
      ComparisonOperator: "LessThanThreshold",
      EvaluationPeriods: 9,
    });
  });

  it("logs each request of the APIs with the integration's answer, in a group that needs no entry in a policy", () => {
    for (const [template, names] of [
      [dev, ["/aws/vendedlogs/plant-store-dev/api"]],
      [prod, ["/aws/vendedlogs/plant-store-prod/api", "/aws/vendedlogs/plant-store-prod/webhooks"]],
    ] as const) {
      const groups = template.findResources("AWS::Logs::LogGroup");
      const stages = Object.values(template.findResources("AWS::ApiGatewayV2::Stage"));
      const named = stages.map(({ Properties: { AccessLogSettings: log } }) => {
        expect(JSON.parse(log.Format)).toMatchObject({
          gatewayError: "$context.error.responseType",
          integrationError: "$context.integrationErrorMessage",
          integrationStatus: "$context.integrationStatus",
          integrationLatencyMs: "$context.integrationLatency",
        });
        return groups[log.DestinationArn["Fn::GetAtt"][0]]?.Properties.LogGroupName;
      });
      expect(named.sort()).toEqual([...names]);
    }
  });

  it("records traces only on request, with the right to write them", () => {
    const functions = Object.keys(dev.findResources("AWS::Lambda::Function")).length;
    const pagesOfDevOnly = pageRoutesOf({ apiDocs: true }).length - pageRoutesOf({ apiDocs: false }).length;
    // dev has a feed, prod has an archive, and both send mails.
    const traced = { Properties: { TracingConfig: { Mode: "Active" } } };
    expect(Object.keys(dev.findResources("AWS::Lambda::Function", traced))).toHaveLength(0);
    expect(Object.keys(prod.findResources("AWS::Lambda::Function", traced))).toHaveLength(functions - pagesOfDevOnly);
    expect(JSON.stringify(dev.findResources("AWS::IAM::Role"))).not.toContain("xray:");
    expect(rightsOf(prod, "GET /openapi.json")).toEqual(
      ["xray:PutTelemetryRecords", "xray:PutTraceSegments"].map((right) => `"*" ${right}`),
    );
  });

  it("tells each consumer of bus events which events it accepts", () => {
    for (const [name, { description, onlyWith }] of allBackgroundFunctions) {
      if (onlyWith !== undefined) continue;
      const events = consumedEvents(name);
      const expected = events.length === 0 ? undefined : events.join(",");
      expect([name, environmentOf(dev, description).CONSUMED_EVENTS]).toEqual([name, expected]);
    }
  });

  it("changes how Node is started only on request", () => {
    const trimmed = { REPORT_NODE_FLAGS: "true", AWS_LAMBDA_EXEC_WRAPPER: "/var/task/start-runtime.sh" };
    expect(environmentOf(prod, "POST /plants")).toMatchObject(trimmed);
    const unchanged = Object.keys(environmentOf(dev, "POST /plants"));
    expect(unchanged).not.toEqual(expect.arrayContaining([expect.stringMatching(/NODE_FLAGS|EXEC_WRAPPER/)]));
  });

  it("invokes the detection worker once per organization of an event", () => {
    for (const slot of DUE_SLOTS) {
      dev.hasResourceProperties("AWS::Events::Rule", {
        EventPattern: { "detail-type": ["DetectionDue"], detail: { [slot]: { version: [{ exists: true }] } } },
        Targets: [
          {
            InputTransformer: {
              InputPathsMap: {
                source: "$.source",
                "detail-type": "$.detail-type",
                id: "$.id",
                time: "$.time",
                [`detail-${slot}`]: `$.detail.${slot}`,
              },
              InputTemplate: `{"source":<source>,"detail-type":<detail-type>,"id":<id>,"time":<time>,"detail":<detail-${slot}>}`,
            },
          },
        ],
      });
    }
    const rules = dev.findResources("AWS::Events::Rule", {
      Properties: { EventPattern: { "detail-type": ["DetectionDue"] } },
    });
    expect(Object.keys(rules)).toHaveLength(DUE_SLOTS.length);
    // One permission for the rules of all slots: any rule of the service's own bus.
    const [worker] = Object.keys(
      dev.findResources("AWS::Lambda::Function", {
        Properties: { Description: expect.stringMatching("^Applies the detection rules") },
      }),
    );
    const permissions = Object.values(
      dev.findResources("AWS::Lambda::Permission", {
        Properties: { FunctionName: { "Fn::GetAtt": [worker, "Arn"] } },
      }),
    );
    expect(permissions.map(({ Properties }) => [Properties.Principal, Properties.SourceArn])).toEqual([
      [
        "events.amazonaws.com",
        { "Fn::Join": ["", expect.arrayContaining([":rule/", { Ref: "EventsBus45DE4339" }, "/*"])] },
      ],
    ]);
  });

  it("bounds the concurrency of queues' consumers, and reserves concurrency only on request", () => {
    const consumersOf = (template: Template) =>
      Object.values(template.findResources("AWS::Lambda::EventSourceMapping")).map(({ Properties }) => [
        Properties.FunctionName.Ref.replace(/[0-9A-F]{8}$/, ""),
        Properties.ScalingConfig,
      ]);
    const restoring = ["BackgroundRestoreSecurityEventsFunction", { MaximumConcurrency: 2 }];
    const processing = (MaximumConcurrency: number) => ["WebhooksProcessWebhookFunction", { MaximumConcurrency }];
    const dispatching = ["NotificationsDispatchNotificationsFunction", { MaximumConcurrency: 5 }];
    const sending = ["NotificationsSendNotificationsFunction", { MaximumConcurrency: 20 }];
    const applying = ["NotificationsApplyMailFeedbackFunction", { MaximumConcurrency: 2 }];
    expect(Object.fromEntries(consumersOf(dev))).toEqual(
      Object.fromEntries([restoring, dispatching, sending, applying, processing(5)]),
    );
    expect(Object.fromEntries(consumersOf(prod))).toEqual(
      Object.fromEntries([restoring, dispatching, sending, applying, processing(20)]),
    );

    const reservedIn = (template: Template) =>
      Object.values(template.findResources("AWS::Lambda::Function")).flatMap(({ Properties }) =>
        Properties.ReservedConcurrentExecutions === undefined
          ? []
          : [[Properties.Description, Properties.ReservedConcurrentExecutions]],
      );
    expect(reservedIn(dev)).toEqual([]);
    expect(Object.fromEntries(reservedIn(prod))).toEqual({
      "POST {webhook URL}/{organizationId}": 50,
      "Applies the events of webhooks to the records": 20,
    });
  });

  it("keeps what a queue's consumer cannot process in a dead-letter queue with an alarm, after five receives or more", () => {
    const queues = Object.entries(dev.findResources("AWS::SQS::Queue"));
    const deadLetters = queues.filter(([, { Properties }]) => Properties.RedrivePolicy === undefined);
    const working = queues.filter(([, { Properties }]) => Properties.RedrivePolicy !== undefined);
    expect(queues.map(([, { Properties }]) => Properties.MessageRetentionPeriod)).toEqual(queues.map(() => 1_209_600));
    // Each dead-letter queue belongs to one queue.
    expect(
      working.map(([, { Properties }]) => Properties.RedrivePolicy.deadLetterTargetArn["Fn::GetAtt"][0]).sort(),
    ).toEqual(deadLetters.map(([id]) => id).sort());
    for (const [id, { Properties }] of working) {
      expect(Properties.RedrivePolicy.maxReceiveCount).toBeGreaterThanOrEqual(5);
      const [mapping] = Object.values(dev.findResources("AWS::Lambda::EventSourceMapping")).filter(
        (one) => one.Properties.EventSourceArn["Fn::GetAtt"][0] === id,
      );
      const consumer = dev.findResources("AWS::Lambda::Function")[mapping?.Properties.FunctionName.Ref];
      expect(Properties.VisibilityTimeout).toBe(6 * (consumer?.Properties.Timeout ?? 60));
    }
    // An event that EventBridge cannot deliver to a queue is kept in the same place.
    const targets = Object.values(dev.findResources("AWS::Events::Rule")).flatMap(
      ({ Properties }) => Properties.Targets,
    );
    const idOf = (arn: { "Fn::GetAtt": [string, string] }) => arn["Fn::GetAtt"][0];
    for (const [id, { Properties }] of working) {
      const [target] = targets.filter(({ Arn }) => idOf(Arn) === id);
      // Functions fill the queue of deliveries.
      if (target === undefined) expect(id).toMatch(/^NotificationQueuesToSend/);
      else expect(idOf(target.DeadLetterConfig.Arn)).toBe(idOf(Properties.RedrivePolicy.deadLetterTargetArn));
    }
    for (const [id] of deadLetters)
      dev.hasResourceProperties("AWS::CloudWatch::Alarm", {
        MetricName: "ApproximateNumberOfMessagesVisible",
        Dimensions: [{ Name: "QueueName", Value: { "Fn::GetAtt": [id, "QueueName"] } }],
        Threshold: 1,
      });
  });

  it("tags everything with the product, the stage and the tags of the context, also what nested stacks make", () => {
    const own = { "cost-center": "4711", product: "plant-store", stage: "prod" };
    const tagsOf = (tags: { Key: string; Value: string }[]) =>
      Object.fromEntries(tags.map(({ Key, Value }) => [Key, Value]));
    const tagged = Object.values(prod.findResources("AWS::Lambda::Function")).concat(
      Object.values(prod.findResources("AWS::DynamoDB::Table")),
    );
    expect(tagged.length).toBeGreaterThan(60);
    for (const { Properties } of tagged) expect(tagsOf(Properties.Tags)).toEqual(own);
    // A tag with the version would change all of them with each release.
    dev.hasOutput("Version", { Value: expect.stringMatching("^[0-9]+[.][0-9]+[.][0-9]+") });
  });

  it("shares no name with another stage of the account and region", () => {
    const namesOf = (template: Template) =>
      Object.values<{ Properties?: Record<string, unknown> }>(template.toJSON().Resources).flatMap(
        ({ Properties = {} }) =>
          Object.entries(Properties).flatMap(([property, value]) =>
            /(?<!Metric)Name$/.test(property) && !/^\{"(Ref|Fn::GetAtt)"/.test(JSON.stringify(value))
              ? [JSON.stringify(value)]
              : [],
          ),
      );
    const [ofDev, ofProd] = [namesOf(dev), namesOf(prod)];
    expect(ofDev.length).toBeGreaterThan(30);
    // The only stage of each API.
    expect(ofDev.filter((name) => ofProd.includes(name))).toEqual(['"$default"']);
    // A stage has at most 20 characters, and the name of a rule 64.
    const rules = Object.values(dev.findResources("AWS::Events::Rule")).flatMap(
      ({ Properties }) => Properties.Name ?? [],
    );
    expect(rules).toContain("plant-store-dev-dispatch-syncs");
    for (const name of rules) expect(name.length + 20 - "dev".length).toBeLessThanOrEqual(64);
  });

  it("has an output that shows if it trusts no issuer", () => {
    dev.hasOutput("Issuer", { Value: NO_ISSUER, Description: expect.stringMatching("trusts none") });
    prod.hasOutput("Issuer", { Value: "https://login.example.com" });
  });

  it("has the console's address as an output, and its settings in the page's function only", () => {
    prod.hasOutput("ConsoleUrl", { Value: "https://api.example.com/console" });
    dev.hasOutput("ConsoleUrl", { Value: { "Fn::Join": ["", expect.arrayContaining(["/console"])] } });
    const withSettings = Object.values(dev.findResources("AWS::Lambda::Function")).filter(({ Properties }) =>
      JSON.stringify(Properties.Environment ?? {}).includes("CONSOLE_CLIENT"),
    );
    expect(withSettings.map(({ Properties }) => Properties.Description)).toEqual(["GET /console"]);
    expect(withSettings[0]?.Properties.Environment.Variables).toMatchObject({
      CONSOLE_CLIENT_ID: "console",
      CONSOLE_SCOPE: "openid",
    });
    for (const page of ["GET /console", "GET /console/assets/{file}"]) expect(rightsOf(dev, page)).toEqual([]);
  });

  it.each([
    ["WebhooksDeadLettersArn", /Webhooks.*DeadLetters/],
    ["EventsUnrecordedDeadLettersArn", /UnrecordedDeadLetters/],
  ])("has the output %s with the dead-letter queue to replay", (output, id) => {
    const [queue] = Object.keys(dev.findResources("AWS::SQS::Queue")).filter((one) => id.test(one));
    const outputs = Object.entries(dev.outputs()).filter(([key]) => key.startsWith(output));
    expect(outputs).toEqual([
      [expect.any(String), expect.objectContaining({ Value: { "Fn::GetAtt": [queue, "Arn"] } })],
    ]);
  });

  it("is reachable only under its own domain name, if it has one", () => {
    prod.hasResourceProperties("AWS::ApiGatewayV2::Api", { DisableExecuteApiEndpoint: true });
    prod.hasResourceProperties("AWS::ApiGatewayV2::DomainName", { DomainName: "api.example.com" });
    prod.allResourcesProperties("AWS::ApiGatewayV2::Api", { DisableExecuteApiEndpoint: true });
    prod.hasOutput("ApiUrl", { Value: "https://api.example.com" });
    dev.resourceCountIs("AWS::ApiGatewayV2::DomainName", 0);
  });

  it("lets only the functions that need a secret of the platform read it, at run time", () => {
    const text = JSON.stringify(prod.toJSON());
    expect(text).not.toContain(`{{resolve:secretsmanager:${OAUTH_SECRET}`);
    expect(text).not.toContain(`{{resolve:secretsmanager:${WEBHOOK_SECRET}`);
    const readers = (secret: string) =>
      Object.values(prod.findResources("AWS::Lambda::Function"))
        .map(({ Properties }) => String(Properties.Description))
        .filter((description) => rightsOf(prod, description).some((right) => right.includes(secret)))
        .sort();
    expect(readers(OAUTH_SECRET)).toEqual([
      expect.stringContaining("Applies the events"),
      expect.stringContaining("PUT"),
      expect.stringContaining("run"),
    ]);
    expect(readers(WEBHOOK_SECRET)).toEqual(["POST {webhook URL}/{organizationId}"]);
    // Secrets Manager appends six characters to an ARN that lacks them.
    expect(rightsOf(prod, "POST {webhook URL}/{organizationId}")).toContainEqual(
      expect.stringContaining(`${WEBHOOK_SECRET}-??????`),
    );
  });

  it("has outputs for the DNS records of its domain names, and the records in its hosted zone", () => {
    const idOf = (domainName: string) =>
      Object.keys(prod.findResources("AWS::ApiGatewayV2::DomainName", { Properties: { DomainName: domainName } }))[0];
    for (const [prefix, name] of [
      ["Api", "api.example.com"],
      ["Webhooks", "hooks.example.com"],
    ] as const) {
      const target = { "Fn::GetAtt": [idOf(name), "RegionalDomainName"] };
      const zone = { "Fn::GetAtt": [idOf(name), "RegionalHostedZoneId"] };
      prod.hasOutput(`${prefix}DnsTarget`, { Value: target });
      prod.hasOutput(`${prefix}DnsTargetZone`, { Value: zone });
      for (const Type of ["A", "AAAA"]) {
        prod.hasResourceProperties("AWS::Route53::RecordSet", {
          Name: `${name}.`,
          Type,
          HostedZoneId: "Z0123456789ABCDEFGHIJ",
          AliasTarget: { DNSName: target, HostedZoneId: zone },
        });
      }
    }
    dev.resourceCountIs("AWS::Route53::RecordSet", 0);
  });

  it("allows pages of the configured origins, none by default", () => {
    prod.hasResourceProperties("AWS::ApiGatewayV2::Api", {
      CorsConfiguration: {
        AllowOrigins: ["https://app.example.com"],
        AllowMethods: expect.arrayContaining(["POST", "GET", "DELETE"]),
        AllowHeaders: ["authorization", "content-type", "idempotency-key"],
        ExposeHeaders: ["link", "retry-after", "x-next-cursor", "x-request-id"],
        MaxAge: 3_600,
      },
    });
    prod.hasResourceProperties("AWS::Lambda::Function", {
      Description: "Answers requests that match no route",
      Environment: { Variables: { ANSWERS_PREFLIGHTS: "true" } },
    });
    const apis = [prod, dev].flatMap((template) => Object.values(template.findResources("AWS::ApiGatewayV2::Api")));
    expect(JSON.stringify(apis)).not.toContain("AllowCredentials");
    const ofDev = Object.values(dev.findResources("AWS::ApiGatewayV2::Api"));
    for (const { Properties } of ofDev) expect(Properties).not.toHaveProperty("CorsConfiguration");
  });

  it("passes what to trust of the CDN to every function of a route, and to no other", () => {
    const variables = { CLIENT_ADDRESS_HEADER: "cloudfront-viewer-address", ORIGIN_SECRET_HASHES: ORIGIN_SECRET_HASH };
    const functions = Object.values(prod.findResources("AWS::Lambda::Function"));
    const trusting = functions.filter(({ Properties }) => Properties.Environment?.Variables.CLIENT_ADDRESS_HEADER);
    expect(trusting.map(({ Properties }) => Properties.Description).sort()).toEqual(
      [...allRoutes, ...pageRoutesOf({ apiDocs: false })].map(([, { method, path }]) => `${method} ${path}`).sort(),
    );
    for (const { Properties } of trusting) expect(Properties.Environment.Variables).toMatchObject(variables);
    expect(JSON.stringify(dev.toJSON())).not.toContain("CLIENT_ADDRESS_HEADER");
  });

  it("answers over IPv6 if it is asked to", () => {
    const configurations = [{ IpAddressType: "dualstack" }];
    prod.allResourcesProperties("AWS::ApiGatewayV2::Api", { IpAddressType: "dualstack" });
    prod.allResourcesProperties("AWS::ApiGatewayV2::DomainName", { DomainNameConfigurations: configurations });
    dev.allResourcesProperties("AWS::ApiGatewayV2::Api", { IpAddressType: "ipv4" });
  });

  it("shows webhooks' own domain name in place of the function URL, if it has one", () => {
    prod.resourceCountIs("AWS::Lambda::Url", 0);
    prod.hasResourceProperties("AWS::Lambda::Function", {
      Description: `GET ${PROVIDER}/connection`,
      Environment: {
        Variables: { WEBHOOK_URL: "https://hooks.example.com/", WEBHOOK_ENTRANCE: "api" },
      },
    });
    const [receive] = Object.keys(
      prod.findResources("AWS::Lambda::Function", {
        Properties: { Description: "POST {webhook URL}/{organizationId}" },
      }),
    );
    prod.hasResourceProperties("AWS::ApiGatewayV2::Integration", {
      IntegrationUri: { "Fn::GetAtt": [receive, "Arn"] },
      PayloadFormatVersion: "2.0",
    });
    dev.resourceCountIs("AWS::Lambda::Url", 1);
  });

  it("names its APIs after the stack, so that stages and webhooks can be told apart in the console", () => {
    const namesOf = (template: Template) =>
      Object.values(template.findResources("AWS::ApiGatewayV2::Api")).map(({ Properties }) => Properties.Name);
    expect(namesOf(dev)).toEqual(["plant-store-dev"]);
    expect(namesOf(prod).sort()).toEqual(["plant-store-prod", "plant-store-prod-webhooks"]);
  });

  it("passes the partition's domain to every function that uses a service of AWS", () => {
    for (const { Properties } of Object.values(dev.findResources("AWS::Lambda::Function"))) {
      const { Variables = {} } = Properties.Environment ?? {};
      if (Object.keys(Variables).some((name) => name.endsWith("_TABLE_NAME")))
        expect(Variables.URL_SUFFIX).toEqual({ Ref: "AWS::URLSuffix" });
    }
  });

  it("has no secret's value in a function's configuration", () => {
    for (const template of [dev, prod]) expect(JSON.stringify(template.toJSON())).not.toContain("{{resolve:");
  });
});

describe("what sends notifications, and what checks their destinations", () => {
  it("knows all hosts of the service, so that none of them is a destination", () => {
    const { "send-notifications": sender } = backgroundFunctions;
    expect(environmentOf(prod, sender.description)).toMatchObject({
      WEBHOOK_URLS: "https://hooks.example.com/",
      CONSOLE_URL: "https://api.example.com/console",
    });
    const sent = environmentOf(dev, sender.description).WEBHOOK_URLS;
    expect(sent).toEqual({ "Fn::GetAtt": [expect.stringMatching(/^WebhooksReceiveWebhook/), "FunctionUrl"] });
    for (const description of [
      "POST /api/integrations/provider/notifications",
      "PUT /api/integrations/provider/notifications/{id}",
    ]) {
      expect(environmentOf(dev, description).WEBHOOK_URLS).toEqual(sent);
    }
  });
});
