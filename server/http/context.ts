// The request context under a short name for server/http; it is declared where features can import it.
export type { Caller, Log, RequestContext } from '#server/features/context.ts';
