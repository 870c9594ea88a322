/** Apart from stage.ts, which the benchmark loads outside of jest. */
import { useEngine } from "../../support/use-table.ts";
import { DETECTION_TABLES } from "./stage.ts";

/** The engine for `createStage`, for one test file. */
export const useDetectionEngine = () => useEngine(...DETECTION_TABLES);
