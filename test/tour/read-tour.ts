/** A line of the README's tour. */
export type TourLine = {
  command: string;
  /** The status that a comment at the end of the line announces; undefined for a success. */
  status: number | undefined;
};

/** The lines of all shell blocks under the heading "Tour", in order. @throws Error if there are none. */
export const readTour = (readme: string): TourLine[] => {
  const [, tour = ""] = /^## Tour\n(.*?)(?=^## )/ms.exec(readme) ?? [];
  const blocks = [...tour.matchAll(/^```sh\n(.*?)^```$/gms)].map(([, block = ""]) => block);
  const lines = blocks.flatMap((block) => block.split("\n")).filter((line) => line.trim() !== "");
  if (lines.length === 0) throw new Error('README.md has no shell block under "## Tour"');
  return lines.map((command) => {
    const [, status] = /\s# (\d{3})$/.exec(command) ?? [];
    return { command, status: status === undefined ? undefined : Number(status) };
  });
};
