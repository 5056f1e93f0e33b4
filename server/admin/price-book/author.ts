// The operator of a request, as the price book writes it.
import { callerOf, type RequestContext } from '#server/admin/context.ts';
import type { PriceAuthor } from '#server/money/price-book/drafts.ts';

export function authorOf(context: RequestContext): PriceAuthor {
  return {
    actorId: callerOf(context).id,
    language: context.language,
    audit: (transaction, action, target, before, after) =>
      context.audit(transaction, action, target, before, after),
  };
}
