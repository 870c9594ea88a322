/**
 * Cold starts and warm requests of the plant endpoints, in CPU time, against the floor. "Floor" and "bare" are
 * test/bench/subjects/floor.mjs and bare.mjs; "unwarmed" is the product's bundle without its prewarming.
 */
import { join } from "node:path";
import { functionOf, functionsByRoute, mainFile, readDeployedStack } from "../deployed-function.ts";
import { interleave, isSure, type Results } from "../interleave.ts";
import { startHttpsMocks } from "../mocks/https-mocks.ts";
import { benchEnvironment, claims, type PlantRoute, plantRequest, plantRoutes } from "../plant-requests.ts";
import { type Budget, budgetText, judge, judgedRow, type Measurement, plainRow, type Row } from "../row.ts";
import { type InstanceResult, runSuccessfully } from "../run-instance.ts";
import { estimate, median } from "../statistics.ts";
import { buildSubjects } from "../subjects.ts";

const RATIO: Budget = { limit: 2.3, stretch: 1.8 };
const FLAGGED_RATIO: Budget = { limit: 2.0 };
const INIT: Budget = { limit: 29, stretch: 15 };
const FIRST: Budget = { limit: 4, stretch: 2.5 };
const WARM: Budget = { limit: 340, stretch: 60 };
const WARM_OURS: Budget = { limit: 60 };
const LOG_BYTES: Budget = { limit: 300 };

const WARM_REQUESTS = 800;
/** Warm requests take long, so only every nth round measures them, beginning with the first. */
const WARM_EVERY = 2;

const kinds = ["floor", "floorWithSdk", "naive", "unwarmed", "product"] as const;
type Kind = (typeof kinds)[number];
/** A subject of this kind starts with the flags that Lambda's runtime is presumed to set. */
const flaggedKinds = ["floor", "product"] as const;
type FlaggedKind = (typeof flaggedKinds)[number];
type Subject = "bare" | `${Kind} ${PlantRoute}`;
type Name = Subject | "flagged bare" | `flagged ${FlaggedKind} ${PlantRoute}`;

/**
 * Those of an earlier runtime (nodejs18.x), from its public start script; whether today's has them was not seen. With
 * --expose-gc V8 refuses Node's own code cache.
 */
const RUNTIME_FLAGS = ["--expose-gc", "--max-http-header-size", "81920"];
const FLAGGED = "flagged ";

/** Floor, naive and product are measured on every route; the other subjects only on this one. */
const MAIN: PlantRoute = "POST /plants";
const names: readonly Name[] = [
  "bare",
  ...kinds.map((kind): Name => `${kind} ${MAIN}`),
  ...plantRoutes
    .filter((route) => route !== MAIN)
    .flatMap((route) => (["floor", "naive", "product"] as const).map((kind): Name => `${kind} ${route}`)),
  "flagged bare",
  ...plantRoutes.flatMap((route) => flaggedKinds.map((kind): Name => `flagged ${kind} ${route}`)),
];

const warmNames: readonly Name[] = [`floor ${MAIN}`, `floorWithSdk ${MAIN}`, `product ${MAIN}`];

const total = ({ init, first }: InstanceResult) => init + first;

/** Per round: the CPU time of a subject above bare Node, as a multiple of the floor's. */
const ratiosOf = (results: Results<Name, InstanceResult>, subject: Name, floor: Name): number[] => {
  const bare = results(subject.startsWith(FLAGGED) ? "flagged bare" : "bare").map(total);
  const above = (name: Name) => results(name).map((result, round) => total(result) - (bare[round] ?? Number.NaN));
  const floors = above(floor);
  return above(subject).map((cost, round) => cost / (floors[round] ?? Number.NaN));
};

/** Per round: the difference in CPU time between two subjects in one phase. */
const differences = (
  results: Results<Name, InstanceResult>,
  [subject, other]: [Name, Name],
  phase: "init" | "first" | "warm",
): number[] =>
  results(subject)
    .map((result, round) => result[phase] - (results(other)[round]?.[phase] ?? Number.NaN))
    // A round without warm requests has no difference.
    .filter((difference) => phase !== "warm" || difference !== 0);

type Measured = { results: Results<Name, InstanceResult>; random: () => number };

const ratioRow = (metric: string, ratios: readonly number[], random: () => number, budget?: Budget): Row => {
  const { median: value, low, high } = estimate(ratios, random);
  const measured = `${value.toFixed(2)} [${low.toFixed(2)}, ${high.toFixed(2)}]`;
  if (budget === undefined) return plainRow(metric, measured);
  return { metric, budget: budgetText(budget), measured, verdict: judge(value, budget, isSure(ratios, random)) };
};

const timeRow = (metric: string, value: number, unit: "ms" | "µs" | "B", budget?: Budget): Row => {
  const measured = `${value.toFixed(unit === "ms" ? 1 : 0)} ${unit}`;
  return budget === undefined ? plainRow(metric, measured) : judgedRow(metric, value, budget, { unit, measured });
};

const ratioRows = (route: PlantRoute, { results, random }: Measured): Row[] => {
  const over = (kind: Kind) => ratiosOf(results, `${kind} ${route}`, `floor ${route}`);
  const multiples = results(`product ${route}`).map((result, i) => total(result) / total(results("bare")[i] ?? result));
  return [
    ratioRow(`${route}: (init + first request) ÷ floor`, over("product"), random, RATIO),
    ratioRow(
      `${route}: the same with the presumed flags of Lambda's runtime`,
      ratiosOf(results, `flagged product ${route}`, `flagged floor ${route}`),
      random,
      FLAGGED_RATIO,
    ),
    ratioRow(`${route}: the same of a naive build`, over("naive"), random),
    ratioRow(`${route}: init + first request, process included, ÷ bare Node`, multiples, random),
  ];
};

const detailRows = ({ results, random }: Measured): Row[] => {
  const name = (kind: Kind): Name => `${kind} ${MAIN}`;
  const init = (kind: Kind) => median(differences(results, [name(kind), "bare"], "init"));
  const first = (kind: Kind) => median(results(name(kind)).map((result) => result.first));
  const warmAbove = (kind: Kind) => 1000 * median(differences(results, [name("product"), name(kind)], "warm"));
  const logBytes = results(name("product")).map(({ log }) => Buffer.byteLength(log.split("\n")[0] ?? ""));
  return [
    ratioRow(
      `${MAIN}: (init + first request) ÷ floor, without prewarming`,
      ratiosOf(results, name("unwarmed"), name("floor")),
      random,
    ),
    timeRow(`${MAIN}: init above bare Node, to the handler`, init("unwarmed"), "ms", INIT),
    timeRow(`${MAIN}: init above bare Node, prewarming included`, init("product"), "ms"),
    timeRow(`${MAIN}: first request after init`, first("product"), "ms", FIRST),
    timeRow(`${MAIN}: first request, without prewarming`, first("unwarmed"), "ms"),
    timeRow("floor: init above bare Node", init("floor"), "ms"),
    timeRow("floor: first request", first("floor"), "ms"),
    timeRow(`${MAIN}: warm request above floor`, warmAbove("floor"), "µs", WARM),
    timeRow(`${MAIN}: of it ours, above the floor with the SDK's client`, warmAbove("floorWithSdk"), "µs", WARM_OURS),
    timeRow("floor: warm request", 1000 * median(results(name("floor")).flatMap(({ warm }) => warm || [])), "µs"),
    timeRow(`${MAIN}: log of a successful request, one line`, median(logBytes), "B", LOG_BYTES),
  ];
};

export const measurement: Measurement = {
  title: "Cold starts and warm requests, in CPU time",
  measure: async (bench) => {
    const { options, progress } = bench;
    const mocks = await startHttpsMocks();
    try {
      const functions = functionsByRoute(await readDeployedStack(bench));
      const subjects = await buildSubjects(join(bench.workDirectory, "subjects"));
      const token = await mocks.sign(claims);

      const run = (name: Name, round: number): Promise<InstanceResult> => {
        const route = plantRoutes.find((one) => name.endsWith(one)) ?? "POST /plants";
        const fn = functionOf(functions, route);
        const isFlagged = name.startsWith(FLAGGED);
        const kind = kinds.find((one) => name.replace(FLAGGED, "") === `${one} ${route}`);
        const files: Record<Kind, string> = {
          floor: subjects.floor,
          floorWithSdk: subjects.floorWithSdk,
          naive: subjects.naive[route],
          unwarmed: join(fn.codeDirectory, "bundle.cjs"),
          product: mainFile(fn),
        };
        const isWarmRound = round % WARM_EVERY === 0 && warmNames.includes(name);
        return runSuccessfully({
          file: kind === undefined ? subjects.bare : files[kind],
          environment: {
            ...benchEnvironment(fn, { issuer: mocks.issuer, endpoint: mocks.store }),
            NODE_EXTRA_CA_CERTS: mocks.certificateFile,
          },
          events: [plantRequest(route, { token })],
          flags: isFlagged ? RUNTIME_FLAGS : [],
          warmRequests: isWarmRound ? WARM_REQUESTS : 0,
        });
      };

      const measured = await interleave({
        options,
        names,
        run,
        ratios: (results) => plantRoutes.map((route) => ratiosOf(results, `product ${route}`, `floor ${route}`)),
        progress,
      });
      return [...plantRoutes.flatMap((route) => ratioRows(route, measured)), ...detailRows(measured)];
    } finally {
      await mocks.stop();
    }
  },
};
