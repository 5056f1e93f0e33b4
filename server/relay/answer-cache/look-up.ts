// Looks for a cached answer before a channel is chosen. Who calls, what they may and what their request says has been checked; the price, budgets,
// limits and the balance are checked by the hold, as for any call.
import { AmountError } from '#server/money/ledger/ledger.ts';
import type { Moment } from '#server/money/prices/price-rules.ts';
import type { PriceSnapshot } from '#server/money/prices/price.ts';
import type { CachePolicy } from '#server/relay/caller/cache-policy.ts';
import type { Caller } from '#server/relay/caller/authenticate.ts';
import type { Incoming } from '#server/relay/caller/incoming.ts';
import type { CallCache } from '#server/relay/call/call-cache.ts';
import { resolvePrice } from '#server/relay/money/admission.ts';
import type { Payer } from '#server/relay/money/payers.ts';
import { FORWARDED_HEADERS } from '#server/relay/request/forwarded-headers.ts';
import type { PreparedCall } from '#server/relay/upstream-body/prepare.ts';
import type { VirtualModel } from '#server/relay/virtual-models/book.ts';
import { considerTargets, type PlanParts } from '#server/relay/virtual-models/plan.ts';
import { isCacheable, isPersonal } from './cacheable.ts';
import type { AnswerCache } from './cache.ts';
import { canonicalText } from './canonical-text.ts';
import { answerHit, type HitParts } from './hit.ts';
import { createKeeper } from './keeper.ts';
import { wishIn } from './wish.ts';

export type LookParts = HitParts & PlanParts & { readonly answers: AnswerCache };

export interface AskedAnswer {
  readonly prepared: PreparedCall;
  readonly virtual: VirtualModel | undefined;
  readonly began: Moment;
}

/** The model that a new answer would come from, and its price. */
interface Served {
  readonly prepared: PreparedCall;
  /** Of a virtual model. */
  readonly model: string | undefined;
  price(): PriceSnapshot;
}

const BYPASS: CallCache = { state: 'bypass', key: undefined, keeper: undefined };
const KILOBYTE = 1024;

/** The answer, or what the call has to do with the cache. */
export async function lookUp(
  parts: LookParts,
  incoming: Incoming,
  payer: Payer,
  asked: AskedAnswer,
  policy: CachePolicy,
): Promise<Response | CallCache> {
  const { answers, settings } = parts;
  const { caller } = payer;
  const { headers } = incoming.request;
  const { prepared } = asked;
  const wish = wishIn(headers);
  const mayLook = !wish.isBypass && isCacheable(prepared);
  const served = mayLook ? await findServed(parts, caller, headers, asked) : undefined;
  const key =
    served === undefined ? undefined : keyOf(parts, { caller, policy, headers, asked: prepared, served });
  if (served === undefined || key === undefined) {
    answers.count('bypass');
    return BYPASS;
  }
  const { AnswerCacheSeconds, AnswerCacheMostSeconds, AnswerCacheEntryKilobytes } = settings.current;
  const wanted = wish.seconds ?? (policy.seconds || AnswerCacheSeconds);
  const seconds = Math.min(wanted, AnswerCacheMostSeconds);
  const found = wish.isRefresh ? undefined : answers.find(key, Math.min(seconds, wish.mostAge));
  if (found !== undefined)
    return await answerHit(parts, incoming, payer, {
      found,
      asked: prepared,
      prepared: served.prepared,
      price: served.price(),
      virtual: asked.virtual,
      began: asked.began,
    });
  answers.count('miss');
  answers.figures.miss(caller.userId);
  const { userId, tokenId } = caller;
  const expected = {
    key,
    userId,
    tokenId,
    model: prepared.model,
    prepared,
    served: served.model,
    seconds,
    mostBytes: AnswerCacheEntryKilobytes * KILOBYTE,
  };
  return { state: 'miss', key, keeper: createKeeper(expected, answers.begin()) };
}

/** Undefined: none would answer now; the call is refused as it is without cached answers. */
async function findServed(
  parts: LookParts,
  caller: Caller,
  headers: Headers,
  { prepared, virtual, began }: AskedAnswer,
): Promise<Served | undefined> {
  if (virtual === undefined) {
    const { model } = prepared;
    // A model that was taken from the group is not answered from memory either.
    if (parts.catalog.current.tiers(caller.group, model).length === 0) return undefined;
    return { prepared, model: undefined, price: () => resolvePrice(parts, model, caller.group, began) };
  }
  try {
    const considered = await considerTargets(parts, virtual, { headers, caller, prepared, began });
    const open = considered.find((each) => each.open !== undefined)?.open;
    if (open === undefined) return undefined;
    return { prepared: open.prepared, model: open.prepared.model, price: () => open.price };
  } catch (error) {
    if (error instanceof AmountError) return undefined;
    throw error;
  }
}

interface Keyed {
  readonly caller: Caller;
  readonly policy: CachePolicy;
  readonly headers: Headers;
  readonly asked: PreparedCall;
  readonly served: Served;
}

/** Of any format: a conversion reads the headers of another one too. */
const HEADERS = [...new Set(Object.values(FORWARDED_HEADERS).flat())].toSorted();
/** Changes with what an entry is made of. */
const KEY_VERSION = 1;

/** Everything that the answer depends on, and who may have it. Undefined: the request has no one meaning. */
function keyOf(
  { settings, answers }: Pick<LookParts, 'settings' | 'answers'>,
  { caller, policy, headers, asked, served }: Keyed,
): string | undefined {
  const { json, endpoint, model, isStream, wantsArray, isStrict, fields } = asked;
  const request = json === undefined ? undefined : canonicalText(json.text);
  if (request === undefined) return undefined;
  const isShared = settings.current.AnswerCacheShared && !isPersonal(headers, fields);
  return answers.digest(
    JSON.stringify([
      KEY_VERSION,
      isShared ? 'site' : policy.scope,
      endpoint.format,
      endpoint.path,
      // Channels behind one name differ by group.
      caller.group,
      model,
      served.prepared.model,
      served.prepared.shownModel ?? null,
      isStream,
      wantsArray,
      isStrict,
      HEADERS.map((name) => headers.get(name)),
      request,
    ]),
  );
}
