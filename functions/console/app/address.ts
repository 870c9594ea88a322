/** Filters in the address, so that a view can be shared, bookmarked and gone back to. */
import { useLocation } from "preact-iso/router";

/** The address of a view with filters; empty ones are left out. */
export const addressOf = (path: string, filters: Readonly<Record<string, string | undefined>> = {}): string => {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(filters)) if (value !== undefined && value !== "") query.set(name, value);
  return query.size === 0 ? path : `${path}?${query}`;
};

/** The address of one thing below a view. @param id any text, also one that is not well-formed Unicode. */
export const addressBelow = (path: string, id: string): string => `${path}/${encodeURIComponent(id.toWellFormed())}`;

export const alertAddress = (id: string): string => addressBelow("/console/alerts", id);

export const destinationAddress = (id: string): string => addressBelow("/console/notifications", id);

export const eventAddress = (id: string): string => addressBelow("/console/events", id);

/** Whether an address can be decoded. "/console/events/%" cannot. */
export const isDecodable = (path: string): boolean => {
  try {
    decodeURIComponent(path);
    return true;
  } catch {
    return false;
  }
};

/** The filters of the present address, and how to change some of them; undefined removes one. */
export const useFilters = () => {
  const { path, query, route } = useLocation();
  const filters: Readonly<Record<string, string | undefined>> = query;
  return {
    filters,
    /** @param replace whether the back button skips the present address: for typing, not for choices. */
    set: (changes: Readonly<Record<string, string | undefined>>, { replace = false } = {}) =>
      route(addressOf(path, { ...filters, ...changes }), replace),
  };
};
