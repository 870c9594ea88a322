/** Which events the view shows: the address has the choices, with the names and values of GET …/security. */
import { inWords } from "../../words/format.ts";
import { levels } from "../../words/levels.ts";
import { type Chosen, type FilterName, filterNames } from "./query.ts";

const categories = [
  "authentication",
  "authorization",
  "compliance",
  "data_access",
  "integration",
  "security",
  "system",
] as const;

export const sourceLabels = {
  user: "A user",
  system: "The service itself",
  webhook: "The provider",
  provider: "The provider’s log",
} as const;

const words = (values: readonly string[]) => values.map((value) => [value, inWords(value)] as const);

/** The filters with their labels. `options` are the values with their words; a filter without them takes any text. */
export const filters = {
  riskLevel: { label: "Level", options: words(levels) },
  eventType: { label: "Type", options: undefined },
  category: { label: "Category", options: words(categories) },
  success: {
    label: "Outcome",
    options: [
      ["true", "Succeeded"],
      ["false", "Failed"],
    ],
  },
  processed: {
    label: "Processed",
    options: [
      ["false", "Not processed"],
      ["true", "Processed"],
    ],
  },
  source: { label: "Caused by", options: Object.entries(sourceLabels) },
  userId: { label: "User", options: undefined },
  ipAddress: { label: "Address", options: undefined },
} as const satisfies Record<FilterName, { label: string; options: readonly (readonly [string, string])[] | undefined }>;
/** Removes all filters and keeps the period. */
export const noFilters: Chosen = Object.fromEntries(filterNames.map((name) => [name, undefined]));

/** A chosen value in words. */
const valueInWords = (name: FilterName, value: string): string => {
  if (name === "eventType") return inWords(value);
  const known: readonly (readonly [string, string])[] | undefined = filters[name].options;
  return known?.find(([option]) => option.toLowerCase() === value.toLowerCase())?.[1] ?? value;
};

/** The chosen filters in words, for chips. */
export const chips = (chosen: Chosen): { name: FilterName; text: string }[] =>
  filterNames.flatMap((name) => {
    const value = chosen[name];
    return value === undefined || value === ""
      ? []
      : [{ name, text: `${filters[name].label}: ${valueInWords(name, value)}` }];
  });

/** `canFollow`: new events can come, because the selection has no end. `isLive`: the user follows them. */
export const liveOf = ({ until, live }: Chosen): { canFollow: boolean; isLive: boolean } => {
  const canFollow = until === undefined;
  return { canFollow, isLive: canFollow && live === "on" };
};

/** The events that a key acts on: the selected ones, or else the one that has the focus. */
export const targetsOf = (selected: ReadonlySet<string>, focused: string | undefined): readonly string[] =>
  selected.size > 0 || focused === undefined ? [...selected] : [focused];
