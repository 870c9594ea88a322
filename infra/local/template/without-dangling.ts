import type { NotRun, StackModel } from "./model.ts";

/** Leaves out routes and targets whose function is not run, and says so. */
export const withoutDangling = (model: StackModel): StackModel => {
  const isRun = ({ functionArn }: { functionArn: string }): boolean =>
    model.functions.some((one) => one.arn === functionArn);
  const notRun: NotRun[] = [];
  const report = (logicalId: string, type: string, reason: string): void =>
    void notRun.push({ logicalId, type, reason });
  for (const { logicalId, routes } of model.httpApis) {
    for (const { routeKey } of routes.filter((route) => !isRun(route))) {
      report(logicalId, "AWS::ApiGatewayV2::Api", `${routeKey} is not served: its function is not run`);
    }
  }
  for (const { logicalId, targets } of model.schedules) {
    for (const { id } of targets.filter((target) => !isRun(target))) {
      report(logicalId, "AWS::Events::Rule", `its target ${id} is not called: the function is not run`);
    }
  }
  return {
    ...model,
    httpApis: model.httpApis.map((api) => ({ ...api, routes: api.routes.filter(isRun) })),
    schedules: model.schedules.map((schedule) => ({ ...schedule, targets: schedule.targets.filter(isRun) })),
    notRun: [...model.notRun, ...notRun],
  };
};
