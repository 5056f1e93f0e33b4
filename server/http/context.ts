// The request context as the rest of server/http names it; its shape is part of the contract so that features can use it.
export { callerOf } from '#contract/context.ts';
export type { Caller, Log, RequestContext } from '#contract/context.ts';
