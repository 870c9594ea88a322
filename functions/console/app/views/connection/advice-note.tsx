import type { Problem } from "../../api/problem.ts";
import { HelpLink, ProblemNote } from "../../parts/states.tsx";
import { adviceFor } from "./connection-words.ts";

export const AdviceNote = ({ problem, onRetry }: { problem: Problem; onRetry?: (() => void) | undefined }) => {
  const { text, link } = adviceFor(problem);
  return (
    <ProblemNote problem={problem} onRetry={onRetry}>
      <p>{text}</p>
      <HelpLink to={link} />
    </ProblemNote>
  );
};
