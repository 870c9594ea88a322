/** A command of the README's tour: a line, or a loop of several. */
export type TourLine = {
  command: string;
  /** The status that a comment announces at the end of a line; undefined for a success. */
  status: number | undefined;
};

/** The lines of all shell blocks under the heading "Tour", in order. @throws Error if there are none. */
export const readTour = (readme: string): TourLine[] => {
  const [, tour = ""] = /^## Tour\n(.*?)(?=^## )/ms.exec(readme) ?? [];
  const blocks = [...tour.matchAll(/^```sh\n(.*?)^```$/gms)].map(([, block = ""]) => block);
  const commands = blocks.flatMap((block) => block.match(/^for .*?^done$|^[^\n]+$/gms) ?? []);
  if (commands.length === 0) throw new Error('README.md has no shell block under "## Tour"');
  return commands.map((command) => {
    const [, status] = /\s# (\d{3})$/m.exec(command) ?? [];
    return { command, status: status === undefined ? undefined : Number(status) };
  });
};
