import type { NotRun, StackModel } from "./core/model.ts";
import type { RunningStack } from "./stack-file.ts";

/**
 * The text at the end of the start: addresses, what does not run, and commands to try.
 * @param demoOrganization the organization that is connected to the provider's simulator.
 */
export const banner = (stack: RunningStack, model: StackModel, demoOrganization?: string): string => {
  const { apiUrl, webhookUrl, issuerUrl, providerUrl, dynamodbUrl, controlUrl } = stack;
  const urls = [
    ["API", apiUrl],
    ["webhooks", webhookUrl],
    ["issuer", issuerUrl],
    ["provider", providerUrl],
    ["control", controlUrl],
    ["DynamoDB", dynamodbUrl],
  ].filter(([, url]) => url !== undefined);
  const counts = [
    count(model.functions.length, "function"),
    count(model.tables.length, "table"),
    count(model.schedules.length, "schedule"),
    count(model.rules.length, "rule"),
    count(model.queues.length, "queue"),
  ].join(", ");
  return [
    "",
    `${model.stackName} is ready: ${counts}, each function under its own role.`,
    ...urls.map(([name, url]) => `  ${name?.padEnd(10)}${url}`),
    ...(model.notRun.length > 0 ? ["", "Not run here:"] : []),
    ...notRunLines(model.notRun),
    ...(apiUrl === undefined ? [] : ["", "Try it in another terminal:", ...curlLines(apiUrl)]),
    ...(apiUrl === undefined || demoOrganization === undefined ? [] : demoLines(apiUrl, controlUrl, demoOrganization)),
    "",
    "Ctrl+C stops everything.",
    "",
  ].join("\n");
};

const count = (number: number, noun: string) => `${number} ${noun}${number === 1 ? "" : "s"}`;

/** One line for all resources of the same type and reason. */
const notRunLines = (notRun: readonly NotRun[]): string[] =>
  [...Map.groupBy(notRun, ({ type, reason }) => `${type}: ${reason}`)].map(([line, found]) => {
    const [only, ...others] = found;
    return others.length === 0
      ? `  ${only?.logicalId} (${only?.type}): ${only?.reason}`
      : `  ${found.length} × ${line}`;
  });

const INTEGRATION = "/api/integrations/provider";

const curlLines = (apiUrl: string) => [
  '  TOKEN="$(npm run --silent token -- --org acme --role admin --user ada)"',
  `  curl -i ${apiUrl}/plants -H "authorization: Bearer $TOKEN" -H 'content-type: application/json' -d '{"id":1,"name":"Monstera"}'`,
  `  curl -i ${apiUrl}/plants -H "authorization: Bearer $TOKEN"`,
  `  curl -i -X DELETE ${apiUrl}/plants/1 -H "authorization: Bearer $TOKEN"`,
  "A refused guest, then the security event that it left, and the circuit breaker:",
  `  curl -s ${apiUrl}${INTEGRATION}/security -H "authorization: Bearer $(npm run --silent token -- --org acme --role guest --user eve)"`,
  `  curl -s ${apiUrl}${INTEGRATION}/security -H "authorization: Bearer $TOKEN"`,
  `  curl -s ${apiUrl}${INTEGRATION}/circuit-breaker -H "authorization: Bearer $TOKEN"`,
];

const demoLines = (apiUrl: string, controlUrl: string, organization: string) => [
  `What was synced for the organization ${organization} from the provider's simulator, its runs, and one more of them:`,
  `  DEMO="$(npm run --silent token -- --org ${organization} --role admin --user ada)"`,
  `  curl -s "${apiUrl}${INTEGRATION}/records/invoices?limit=3" -H "authorization: Bearer $DEMO"`,
  `  curl -s ${apiUrl}${INTEGRATION}/sync -H "authorization: Bearer $DEMO"`,
  `  curl -s -X POST ${apiUrl}${INTEGRATION}/sync -H "authorization: Bearer $DEMO"`,
  "A change at the provider, which arrives by a webhook:",
  `  curl -s ${controlUrl}/provider/changes -H 'content-type: application/json' -d '{"action":"create_customer","fields":{"name":"Noa"}}'`,
  `  curl -s "${apiUrl}${INTEGRATION}/records/customers?limit=1" -H "authorization: Bearer $DEMO"`,
];
