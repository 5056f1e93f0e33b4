// Request ids are UUIDs of version 7: they begin with the time of the request.

/** Unix seconds; undefined when the text is not such an id. */
export function requestIdSeconds(id: string): number | undefined {
  if (!/^[\da-f]{8}-[\da-f]{4}-7[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/i.test(id)) return undefined;
  return Math.floor(Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16) / 1000);
}
