/** Lets a view act before the router when the user goes back or forward. */
let intercept: ((event: PopStateEvent) => void) | undefined;

/** To be called before the router starts: browsers call the window's listeners in the order of their registration. */
export const listenBeforeRouter = (): void => addEventListener("popstate", (event) => intercept?.(event));

/** @returns how to end it. */
export const interceptBack = (act: (event: PopStateEvent) => void): (() => void) => {
  intercept = act;
  return () => {
    if (intercept === act) intercept = undefined;
  };
};
