import { MathExpression, type Metric } from "aws-cdk-lib/aws-cloudwatch";
import { type AlarmDefinition, FIVE_MINUTES, sumOf, type Watched } from "./watched.ts";

/** Metrics of the address of webhooks: of the function URL, of the HTTP API, or of both. */
export const ofWebhooks = (
  { webhooks, config }: Pick<Watched, "webhooks" | "config">,
  names: { url: string; api: string },
  statistic: string,
): Metric[] => {
  const options = { statistic, period: FIVE_MINUTES };
  return [
    ...(config.webhookEntrance === "api" ? [] : [webhooks.receive.metric(names.url, options)]),
    ...(webhooks.api === undefined ? [] : [webhooks.api.metric(names.api, options)]),
  ];
};

/** The API and the address of webhooks: what clients and the provider notice. */
export const requestAlarms = ({ api, ...watched }: Watched): AlarmDefinition[] => [
  {
    name: "ApiFailing",
    description: "For ten minutes, at least 5 % of the API's answers were 5xx",
    metric: new MathExpression({
      // A single failure among few requests is no alarm.
      expression: "IF(failures >= 5, 100 * failures / requests, 0)",
      usingMetrics: {
        failures: api.metricServerError({ period: FIVE_MINUTES, statistic: "Sum" }),
        requests: api.metricCount({ period: FIVE_MINUTES, statistic: "Sum" }),
      },
      label: "Answers with 5xx, in percent",
      period: FIVE_MINUTES,
    }),
    atLeast: 5,
    periods: 2,
  },
  {
    name: "ApiSlow",
    description: "For 15 minutes, one in a hundred requests to the API took 5 s or more",
    metric: api.metricLatency({ period: FIVE_MINUTES, statistic: "p99" }),
    atLeast: 5_000,
    periods: 3,
  },
  {
    name: "WebhooksFailing",
    description: "For ten minutes, the webhook URL answered 5xx at least once a minute",
    metric: sumOf({
      metrics: ofWebhooks(watched, { url: "Url5xxCount", api: "5xx" }, "Sum"),
      label: "Answers with 5xx",
    }),
    atLeast: 5,
    periods: 2,
  },
  {
    name: "WebhooksSlow",
    description: "For 15 minutes, one in a hundred webhooks took 5 s or more to be stored",
    metric: sumOf({
      term: "($ >= 5000)",
      metrics: ofWebhooks(watched, { url: "UrlRequestLatency", api: "Latency" }, "p99"),
      label: "Addresses that are slow",
    }),
    atLeast: 1,
    periods: 3,
  },
];
