import { useEffect, useRef } from "preact/hooks";
import type { Problem } from "../api/problem.ts";
import { Button } from "./button.tsx";
import { ProblemNote } from "./states.tsx";

type Props = {
  list: {
    /** For each list of items: it changes when a page was read. */
    pages: readonly (readonly unknown[])[];
    problem: Problem | undefined;
    isLoading: boolean;
    hasMore: boolean;
    more(): void;
  };
  what: string;
};

/** Reads the next page when the user scrolls near the end, or asks for it. */
export const LoadMore = ({ list, what }: Props) => {
  const end = useRef<HTMLDivElement>(null);
  const more = useRef(list.more);
  more.current = list.more;
  useEffect(() => {
    if (end.current === null) return;
    const observer = new IntersectionObserver(
      (entries) => {
        if (entries.some(({ isIntersecting }) => isIntersecting)) more.current();
      },
      { rootMargin: "400px" },
    );
    observer.observe(end.current);
    return () => observer.disconnect();
    // A page that does not fill the screen is followed by the next one.
  }, [list.pages.length, list.hasMore]);
  const count = list.pages.reduce((sum, { length }) => sum + length, 0);
  return (
    <div class="more" ref={end}>
      {list.problem !== undefined && count > 0 && <ProblemNote problem={list.problem} onRetry={list.more} />}
      {list.hasMore ? (
        <Button onClick={list.more} isRunning={list.isLoading}>
          {list.isLoading ? `Loading more ${what} …` : `Load more ${what}`}
        </Button>
      ) : (
        count > 0 && <p class="quiet">No more {what}.</p>
      )}
    </div>
  );
};
