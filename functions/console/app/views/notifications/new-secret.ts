/**
 * A webhook's new secret on its way from the form to the destination's view. It is in memory only, and is forgotten as soon
 * as the view shows it.
 */
let onItsWay: { id: string; secret: string } | undefined;

export const handOver = (id: string, secret: string): void => {
  onItsWay = { id, secret };
};

/** @returns undefined if there is no new secret of this destination. */
export const takeSecret = (id: string): string | undefined => {
  const taken = onItsWay?.id === id ? onItsWay.secret : undefined;
  onItsWay = undefined;
  return taken;
};
