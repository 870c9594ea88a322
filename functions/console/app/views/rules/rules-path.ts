/** Apart, so that pure files can link to the view. */
export const RULES_PATH = "/console/rules";
