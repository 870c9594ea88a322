import { useCaller } from "../../access.ts";
import type { Problem } from "../../api/problem.ts";
import { ProblemNote } from "../../parts/states.tsx";
import { adviceFor } from "./advice.ts";

export const AdviceNote = ({ problem, onRetry }: { problem: Problem; onRetry?: (() => void) | undefined }) => {
  const { permissions } = useCaller();
  const { text, link } = adviceFor(problem);
  return (
    <ProblemNote problem={problem} onRetry={onRetry}>
      <p>{text}</p>
      {link !== undefined && permissions.includes(link.needs) && (
        <p>
          <a href={link.href}>{link.text}</a>
        </p>
      )}
    </ProblemNote>
  );
};
