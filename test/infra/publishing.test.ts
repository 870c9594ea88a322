/** Which events each function of the deployed service may publish, by the template and by the local cloud's gateway. */
import { EventBridgeClient, PutEventsCommand } from "@aws-sdk/client-eventbridge";
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { toFileName } from "../../infra/constructs/require-complete.ts";
import { readTemplates } from "../../infra/flat-template.ts";
import { frontEndIds } from "../../infra/local/cloud/start-front-ends.ts";
import { readStack } from "../../infra/local/stack/read-stack.ts";
import { allBackgroundFunctions } from "../../shared/api/background-functions.ts";
import { type BusEventName, busEvents, RECORDERS } from "../../shared/api/bus-events.ts";
import { allPageRoutes } from "../../shared/api/page-routes.ts";
import { allRoutes } from "../../shared/api/routes.ts";
import { assemblyDirectory } from "../support/assembly.ts";
import { startMessagingGateway } from "../support/messaging-gateway.ts";
import { statementsOfRole } from "../support/role-statements.ts";
import { newDirectory } from "../support/temporary-directory.ts";

const { Resources } = readTemplates(assemblyDirectory).flat;

/** The file of each function, by the description that the stack gives to it. */
const fileNames = new Map<string, string>([
  ...[...allRoutes, ...allPageRoutes].map(
    ([name, { method, path }]) => [`${method} ${path}`, toFileName(name)] as const,
  ),
  ...allBackgroundFunctions.map(([name, { description }]) => [description, name] as const),
  ["POST {webhook URL}/{organizationId}", "receive-webhook"],
  ["Answers requests that match no route", "answer-unknown-route"],
]);

type Deployed = { name: string; logicalId: string; statements: ReturnType<typeof statementsOfRole> };

type FunctionResource = {
  Type: string;
  Properties: { Description: string; Role: { "Fn::GetAtt": [string, string] } };
};

const deployed = Object.entries(Resources as Record<string, FunctionResource>)
  .filter(([, { Type }]) => Type === "AWS::Lambda::Function")
  .map(([logicalId, { Properties }]): Deployed => {
    const [role] = Properties.Role["Fn::GetAtt"];
    return {
      name: fileNames.get(Properties.Description) ?? "",
      logicalId,
      statements: statementsOfRole(Resources, role),
    };
  });

const actionsOf = ({ statements }: Deployed) => statements.flatMap(({ Action }) => Action);
const publishingOf = ({ statements }: Deployed) =>
  statements.filter(({ Action }) => [Action].flat().includes("events:PutEvents"));

/** Only recorders of security events put them into their table. */
const isRecorder = ({ statements }: Deployed): boolean =>
  statements.some(
    ({ Action, Resource }) =>
      [Action].flat().includes("dynamodb:PutItem") && JSON.stringify(Resource).includes("TablesSecurityEvents"),
  );

const eventNames = Object.keys(busEvents) as BusEventName[];
const publishes = (one: Deployed, event: BusEventName): boolean => {
  const publishers: readonly string[] = busEvents[event].publishers;
  return publishers.includes(one.name) || (publishers.includes(RECORDERS) && isRecorder(one));
};

describe("the rights to publish", () => {
  it("are those of the table of bus events, as the service's source, for every function", () => {
    for (const one of deployed) {
      const types = eventNames.filter((event) => publishes(one, event));
      const [statement, ...others] = publishingOf(one);
      expect({ name: one.name, others }).toEqual({ name: expect.stringMatching(/./), others: [] });
      expect({ name: one.name, statement }).toEqual({
        name: one.name,
        statement:
          types.length === 0
            ? undefined
            : {
                Action: "events:PutEvents",
                Effect: "Allow",
                Resource: { "Fn::GetAtt": [expect.stringMatching(/^EventsBus/), "Arn"] },
                Condition: {
                  StringEquals: { "events:detail-type": types },
                  "ForAnyValue:StringEquals": { "events:source": ["integration-security"] },
                },
              },
      });
    }
  });

  it("exist by no other action", () => {
    const actions = deployed.flatMap(actionsOf).filter((action) => /^(events:|\*)/.test(action));
    expect(new Set(actions)).toEqual(new Set(["events:PutEvents"]));
  });
});

describe("in the local cloud", () => {
  let gateway: Awaited<ReturnType<typeof startMessagingGateway>>;
  let bus = "";
  let arnOf: (name: string) => string;
  const clients: EventBridgeClient[] = [];
  beforeAll(async () => {
    const { apis, functionUrls } = await frontEndIds(assemblyDirectory);
    const urls = new Map([...apis, ...functionUrls].map((id) => [id, "https://front.invalid"]));
    const model = await readStack({ assemblyDirectory, dataDirectory: newDirectory("publishing-"), urls });
    gateway = await startMessagingGateway(model);
    bus = model.buses.map(({ name }) => name).find((name) => name !== "default") ?? "";
    arnOf = (name) => {
      const { logicalId } = deployed.find((one) => one.name === name) ?? {};
      return model.functions.find((one) => one.logicalId === logicalId)?.arn ?? name;
    };
  });
  afterAll(async () => {
    for (const client of clients) client.destroy();
    await gateway.close();
  });

  type Sent = { type: BusEventName; source?: string };
  const putAs = (name: string, ...sent: Sent[]) => {
    const credentials = gateway.credentialsFor(arnOf(name));
    const client = new EventBridgeClient({ endpoint: gateway.url, region: "eu-central-1", credentials });
    clients.push(client);
    const entries = sent.map(({ type, source = "integration-security" }) => ({
      EventBusName: bus,
      Source: source,
      DetailType: type,
      Detail: "{}",
    }));
    return client.send(new PutEventsCommand({ Entries: entries }));
  };
  const isDenied = { name: "AccessDeniedException" };

  const foreign: [name: string, type: BusEventName][] = [
    // Notifications of reports and alerts are signed.
    ["create-plant", "ReportMade"],
    ["create-plant", "WebhookReceived"],
    ["delete-plant", "ErasureRequested"],
    ["list-plants", "SyncRequested"],
    ["send-notifications", "SecurityAlertChanged"],
    ["dispatch-syncs", "SecurityEventNotRecorded"],
    ["receive-webhook", "CircuitChanged"],
  ];
  it.each(foreign)("%s may not publish %s, and nothing is published", async (name, type) => {
    const before = gateway.buses.publishedSince(0).length;
    await expect(putAs(name, { type })).rejects.toMatchObject(isDenied);
    expect(gateway.buses.publishedSince(0)).toHaveLength(before);
  });

  it("a request is denied as a whole if one of its events is not the function's", async () => {
    const before = gateway.buses.publishedSince(0).length;
    await expect(
      putAs("start-sync", { type: "SyncRequested" }, { type: "SyncDispatchContinued" }),
    ).rejects.toMatchObject(isDenied);
    expect(gateway.buses.publishedSince(0)).toHaveLength(before);
  });

  it.each(["aws.events", "integration-securitY", ""])("no function may publish as the source %j", async (source) => {
    await expect(putAs("start-sync", { type: "SyncRequested", source })).rejects.toMatchObject(isDenied);
  });

  it("each function may publish what the table says", async () => {
    for (const one of deployed) {
      const types = eventNames.filter((event) => publishes(one, event));
      if (types.length > 0)
        expect(await putAs(one.name, ...types.map((type): Sent => ({ type })))).toMatchObject({ FailedEntryCount: 0 });
    }
    expect(gateway.denials.filter(({ action }) => action !== "events:PutEvents")).toEqual([]);
  });
});
