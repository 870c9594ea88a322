/** The views that tune detection, which are loaded as one file. */
export { List as MutesList, New as MutesNew, One as MutesOne } from "./mutes/views.ts";
export { List as OwnRulesList, New as OwnRulesNew, One as OwnRulesOne } from "./own-rules/views.ts";
export { View as Rules } from "./rules/rules.tsx";
