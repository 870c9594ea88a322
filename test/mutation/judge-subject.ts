import { instrument, type Mutant } from "./instrument.ts";
import { type Pool, startPool } from "./pool.ts";
import type { Subject } from "./subjects.ts";
import type { Coverage, FilePlan } from "./worker.ts";

export type Judged = Mutant & {
  /** The first test that failed; missing if all passed. */
  caughtBy?: { file: string; title: string; message: string };
  /** How many tests ran the changed code. */
  reaching: number;
};

type Options = {
  workers: number;
  /** Chooses among the faults of the subject. */
  choose: (mutants: Mutant[]) => Mutant[];
  onProgress: (text: string) => void;
  /** Called for each fault as soon as it is judged. */
  onJudged: (judged: Judged) => void;
};

const timeLimitOf = (milliseconds: number): number => 5_000 + 30 * milliseconds;
const loopLimitOf = (rounds: number): number => 200_000 + 20 * rounds;

type Part = FilePlan & { cost: number; count: number };

/** The tests that reach the changed code, the cheapest files first. */
const planFor = (id: string, coverages: readonly Coverage[]): Part[] =>
  coverages
    .flatMap(({ file, tests, loaded, isWhole, rounds }): Part[] => {
      const numbers = tests.flatMap(({ reached }, index) => (reached.includes(id) ? [index] : []));
      const isForAll = loaded.includes(id);
      if (numbers.length === 0 && !isForAll) return [];
      const chosen = isForAll || isWhole ? tests : tests.filter((_, index) => numbers.includes(index));
      const longest = Math.max(0, ...chosen.map(({ milliseconds }) => milliseconds));
      return [
        {
          file,
          ...(chosen !== tests && { tests: numbers }),
          timeLimit: timeLimitOf(longest),
          loopLimit: loopLimitOf(rounds),
          cost: chosen.reduce((sum, { milliseconds }) => sum + milliseconds, 0),
          count: isForAll ? tests.length : numbers.length,
        },
      ];
    })
    .toSorted((left, right) => left.cost - right.cost);

const coverAll = (subject: Subject, pool: Pool): Promise<Coverage[]> =>
  Promise.all(
    subject.tests.map(async (file) => {
      const coverage = await pool.cover(file);
      if (coverage.failure !== undefined) throw new Error(`${file} fails without a fault: ${coverage.failure}`);
      return { ...coverage, loaded: [...new Set(coverage.loaded)] };
    }),
  );

/** Runs the tests of a subject against each of its faults. */
export const judgeSubject = async (
  subject: Subject,
  { workers, choose, onProgress, onJudged }: Options,
): Promise<Judged[]> => {
  const mutants = choose(subject.files.flatMap((file) => instrument(file).mutants));
  if (mutants.length === 0) return [];
  const pool = startPool(subject.files, workers);
  try {
    onProgress(`${subject.name}: ${subject.tests.length} test files without a fault`);
    const coverages = await coverAll(subject, pool);
    let done = 0;
    return await Promise.all(
      mutants.map(async (mutant): Promise<Judged> => {
        const plan = planFor(mutant.id, coverages);
        const { caughtBy } = plan.length === 0 ? {} : await pool.judge(mutant.id, plan);
        onProgress(`${subject.name}: ${++done} of ${mutants.length} faults`);
        const reaching = plan.reduce((sum, { count }) => sum + count, 0);
        const judged = { ...mutant, reaching, ...(caughtBy !== undefined && { caughtBy }) };
        onJudged(judged);
        return judged;
      }),
    );
  } finally {
    pool.stop();
  }
};
