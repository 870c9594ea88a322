/** The first script of the page, which is loaded beside the others: the issuer is asked for tokens while these come. */
import { arrive } from "./session/arrival.ts";

arrive();
