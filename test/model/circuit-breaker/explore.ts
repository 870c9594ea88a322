/** The command `npm run explore`: every scenario in full, then every mutation. Fails if an invariant or the hunt does. */
import { parseArgs } from "node:util";
import { hunt } from "./hunt.ts";
import { implied, mutations } from "./mutations.ts";
import { full, small } from "./scenarios.ts";
import { explore } from "./search.ts";

const help = `Explores the circuit breaker's shipped condition and update expressions in every order of events.

  npm run explore                     every scenario in full, then every mutation (about 10 minutes)
  npm run explore -- --small          the scenarios as the tests run them
  npm run explore -- --only mutations the mutations alone; or: scenarios
  npm run explore -- --scenario TEXT  only the scenarios whose name contains the text
  npm run explore -- --help           this
`;

const { values } = parseArgs({
  options: {
    help: { type: "boolean", default: false },
    small: { type: "boolean", default: false },
    only: { type: "string" },
    scenario: { type: "string" },
  },
});

const print = (line: string): void => {
  process.stdout.write(`${line}\n`);
};
const number = (value: number): string => value.toLocaleString("en").padStart(11);

const runScenarios = (): number => {
  const chosen = (values.small ? small : full).filter(({ name }) => name.includes(values.scenario ?? ""));
  print(`${"scenario".padEnd(40)}${"states".padStart(11)}${"steps".padStart(11)}       ms  invariants`);
  let failures = 0;
  for (const scenario of chosen) {
    const startedAt = Date.now();
    const { states, steps, isComplete, finding } = explore(scenario, { maxStates: 20_000_000 });
    const verdict = finding ? finding.message : isComplete ? "hold" : "not all states were visited";
    const elapsed = String(Date.now() - startedAt).padStart(9);
    print(`${scenario.name.padEnd(40)}${number(states)}${number(steps)}${elapsed}  ${verdict}`);
    for (const step of finding?.trace ?? []) print(`    ${step}`);
    if (finding || !isComplete) failures++;
  }
  return failures;
};

const runMutations = (): number => {
  print(`${"mutation".padEnd(78)}found by`);
  let failures = 0;
  for (const mutation of mutations) {
    const reason = implied[mutation.name];
    const caught = hunt(mutation);
    if ((caught === undefined) !== (reason !== undefined)) failures++;
    const verdict = caught
      ? `${caught.finding.message.split("\n")[0]} ("${caught.scenario}", ${caught.states} states)`
      : reason === undefined
        ? "NOT FOUND"
        : `implied: ${reason}`;
    print(`${mutation.name.padEnd(78)}${verdict}`);
  }
  const needed = mutations.length - Object.keys(implied).length;
  print(
    `${mutations.length} mutations: ${needed} must be found, ${mutations.length - needed} are implied by another guard.`,
  );
  return failures;
};

if (values.help) print(help);
else {
  const failures =
    (values.only === "mutations" ? 0 : runScenarios()) + (values.only === "scenarios" ? 0 : runMutations());
  print(failures === 0 ? "All invariants hold." : `${failures} of them failed.`);
  process.exitCode = failures === 0 ? 0 : 1;
}
