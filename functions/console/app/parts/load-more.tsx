import { useEffect, useRef } from "preact/hooks";
import type { PagedList } from "../api/paged-list.ts";
import { Button } from "./button.tsx";
import { ProblemNote } from "./states.tsx";

/** Reads the next page when the user scrolls near the end, or asks for it. */
export const LoadMore = ({ list, what }: { list: PagedList<unknown>; what: string }) => {
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
