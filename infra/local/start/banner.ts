import type { RunningStack } from "../commands/stack-file.ts";
import type { NotRun, StackModel } from "../core/model.ts";

/**
 * The text at the end of the start: addresses, what does not run, and commands to try.
 * @param demoOrganization the organization that is connected to the provider's simulator.
 */
export const banner = (stack: RunningStack, model: StackModel, demoOrganization?: string): string => {
  const { apiUrl, consoleUrl, webhookUrl, issuerUrl, providerUrl, dynamodbUrl, controlUrl } = stack;
  const urls = [
    ["API", apiUrl],
    ["docs", apiUrl && `${apiUrl}/docs`],
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
    ...(consoleUrl === undefined ? [] : [`Open ${consoleUrl}`, ""]),
    `${model.stackName} is ready: ${counts}, each function under its own role.`,
    ...urls.map(([name, url]) => `  ${name?.padEnd(10)}${url}`),
    ...(model.notRun.length > 0 ? ["", "Not run here:"] : []),
    ...notRunLines(model.notRun),
    ...(apiUrl === undefined
      ? []
      : ["", "Try it in another terminal, or take the tour in README.md:", ...tryLines(apiUrl, demoOrganization)]),
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

const tryLines = (apiUrl: string, demoOrganization: string | undefined) => [
  `  npm run --silent ask -- /plants '{"id":1,"name":"Monstera"}'`,
  "  npm run --silent ask -- /plants",
  ...(demoOrganization === undefined ? [] : ["  npm run --silent ask -- records/invoices limit=3"]),
  "  npm run --silent ask -- security limit=1 --as acme/guest/eve",
  "  npm run --silent clock -- 70m",
  `  curl -i ${apiUrl}/plants -H "authorization: Bearer $(npm run --silent token -- --org acme)"`,
];
