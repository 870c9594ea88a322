/** `npm run faults`: the matrix of endpoints, or some of its cells. `--help` has the options. */
import { parseArgs } from "node:util";
import { failWith } from "../../infra/local/commands/fail-with.ts";
import { prepareAssembly } from "../../infra/prepare-assembly.ts";
import { assemblyDirectory } from "../support/assembly.ts";
import { explainResult, renderResults, runMatrix } from "./run-endpoint-matrix.ts";

const USAGE = `npm run faults -- [options]

Runs good requests with a fault at one of their calls, and checks the answer and what is stored and published.

  --endpoint <name>   only this case of test/faults/endpoint-cases.ts
  --call <name>       only this call, such as dynamodb:PutItem:Plants#1
  --fault <name>      only this fault of test/faults/fault.ts
  --times <times>     only once, twice or always
  --share <number>    so much of the cells, from 0 to 1; 1 by default
  --seed <number>     chooses the cells of a share; 1 by default
`;

const text = { type: "string" } as const;

try {
  const { values } = parseArgs({
    options: {
      endpoint: text,
      call: text,
      fault: text,
      times: text,
      share: { ...text, default: "1" },
      seed: { ...text, default: "1" },
      help: { type: "boolean", short: "h", default: false },
    },
  });
  if (values.help) console.log(USAGE);
  else {
    await prepareAssembly(assemblyDirectory);
    const { endpoint, call, fault, times } = values;
    const results = await runMatrix({
      seed: Number(values.seed),
      share: { once: Number(values.share), more: Number(values.share) },
      onlyEndpoint: (name) => endpoint === undefined || name === endpoint,
      only: (cell) =>
        [call ?? cell.call, fault ?? cell.fault, times ?? cell.times].join() ===
        [cell.call, cell.fault, cell.times].join(),
      onResult: (result) => {
        const problem = explainResult(result);
        if (problem !== undefined) console.log(problem);
      },
    });
    if (results.length === 0) throw new Error("there is no such cell; see npm run faults -- --help");
    console.log(renderResults(results));
    // A request that a function gave up may still hold a connection.
    process.exit(results.some(({ wrongs }) => wrongs.length > 0) ? 1 : 0);
  }
} catch (error) {
  failWith(error);
}
