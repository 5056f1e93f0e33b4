// The request context under a short name for server/admin/http; it is declared where nouns can import it.
export type { Caller, Log, RequestContext } from '#server/admin/context.ts';
