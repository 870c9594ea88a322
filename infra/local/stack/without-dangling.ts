import type { NotRun, StackModel } from "../core/model.ts";

/** Leaves out routes, URLs, targets and mappings whose function or queue is not run, and says so. */
export const withoutDangling = (model: StackModel): StackModel => {
  const run = new Set([...model.functions, ...model.queues].map(({ arn }) => arn));
  const notRun: NotRun[] = [];
  const keep = <T>(items: T[], isKept: (item: T) => boolean, report: (item: T) => NotRun): T[] => {
    notRun.push(...items.filter((item) => !isKept(item)).map(report));
    return items.filter(isKept);
  };
  const withTargets = <T extends StackModel["rules"][number] | StackModel["schedules"][number]>(rule: T): T => ({
    ...rule,
    targets: keep(
      rule.targets,
      ({ arn }) => run.has(arn),
      ({ id, arn }) => ({
        logicalId: rule.logicalId,
        type: "AWS::Events::Rule",
        reason: `its target ${id} gets nothing: ${arn} is not run`,
      }),
    ),
  });
  return {
    ...model,
    httpApis: model.httpApis.map((api) => ({
      ...api,
      routes: keep(
        api.routes,
        ({ functionArn }) => run.has(functionArn),
        ({ routeKey }) => ({
          logicalId: api.logicalId,
          type: "AWS::ApiGatewayV2::Api",
          reason: `${routeKey} is not served: its function is not run`,
        }),
      ),
    })),
    functionUrls: keep(
      model.functionUrls,
      ({ functionArn }) => run.has(functionArn),
      ({ logicalId }) => ({
        logicalId,
        type: "AWS::Lambda::Url",
        reason: "the URL is not served: its function is not run",
      }),
    ),
    schedules: model.schedules.map(withTargets),
    rules: model.rules.map(withTargets),
    eventSourceMappings: keep(
      model.eventSourceMappings,
      ({ functionArn, queueArn }) => run.has(functionArn) && run.has(queueArn),
      ({ logicalId }) => ({
        logicalId,
        type: "AWS::Lambda::EventSourceMapping",
        reason: "nothing is polled: its queue or its function is not run",
      }),
    ),
    notRun: [...model.notRun, ...notRun],
  };
};
