import { Badge } from "../../parts/badge.tsx";
import type { Attention, Verdict } from "./attention.ts";

/** Screen readers hear when it changes. */
export const VerdictLine = ({ verdict: { tone, word, text } }: { verdict: Verdict }) => (
  <p class={`overview-verdict ${tone}`} role="status">
    <Badge tone={tone}>{word}</Badge> <b>{text}</b>
  </p>
);

const words = { bad: "Act now", warn: "Look at it" } as const;

export const AttentionList = ({ needs }: { needs: readonly Attention[] }) =>
  needs.length === 0 ? null : (
    <section class="overview-attention" aria-label="Needs attention">
      <h2>Needs attention first</h2>
      <ol>
        {needs.map(({ tone, what, text, action }) => (
          <li key={what}>
            <Badge tone={tone}>{words[tone]}</Badge>
            <span>{text}</span>
            <a href={action.href}>{action.text}</a>
          </li>
        ))}
      </ol>
    </section>
  );
