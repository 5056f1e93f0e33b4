// Answers a call with a cached answer: hold, charge and log row as for any other, at a part of what the answer would cost now. Nothing is sent
// before the charge is durable.
import type { Settlement } from '#server/money/ledger/ledger.ts';
import { cappedChargeOf, chargeOf } from '#server/money/prices/charge.ts';
import type { Moment } from '#server/money/prices/price-rules.ts';
import type { PriceSnapshot } from '#server/money/prices/price.ts';
import { withFees } from '#server/money/prices/tiers.ts';
import { completionTokens } from '#server/money/prices/usage.ts';
import { jsonArray } from '#server/relay/answer/reframing.ts';
import type { Incoming } from '#server/relay/caller/incoming.ts';
import {
  answerHeaders,
  cacheHeaders,
  modelHeader,
  passedType,
  receiptHeader,
  reportComment,
  reportHeaders,
  streamHeaders,
} from '#server/relay/caller/response.ts';
import { recordOf, takeExactHold, type Admission } from '#server/relay/money/admission.ts';
import type { Hold } from '#server/relay/money/hold.ts';
import type { CallRecord } from '#server/relay/money/log-row.ts';
import type { Payer } from '#server/relay/money/payers.ts';
import { settleCall, type SettlingServices } from '#server/relay/money/settlement.ts';
import { tagsGiven } from '#server/relay/request/tags.ts';
import type { PreparedCall } from '#server/relay/upstream-body/prepare.ts';
import type { VirtualModel } from '#server/relay/virtual-models/book.ts';
import type { AnswerCache } from './cache.ts';
import type { KeptAnswer } from './store.ts';

export interface HitParts extends Admission, SettlingServices {
  readonly answers: AnswerCache;
}

export interface Hit {
  readonly found: KeptAnswer;
  /** As the caller asked, and as the model that answers is asked. */
  readonly asked: PreparedCall;
  readonly prepared: PreparedCall;
  /** Of the same answer, if it came anew now. */
  readonly price: PriceSnapshot;
  readonly virtual: VirtualModel | undefined;
  readonly began: Moment;
}

const NO_CHANNEL = { id: 0, name: '' };
/** The operator buys nothing for it. */
const FREE = { costOf: () => 0 };

export async function answerHit(
  parts: HitParts,
  incoming: Incoming,
  { caller, plans }: Payer,
  hit: Hit,
): Promise<Response> {
  const { found, asked, prepared, virtual, began } = hit;
  const { headers } = incoming.request;
  const price = priceOfHit(hit.price, parts.settings.current.AnswerCachePricePercent);
  const usage = withFees(price, found.usage);
  const amount = chargeOf(price, usage);
  const age = Math.max(0, Math.floor((Date.now() - found.keptAt) / 1000));
  const saved = Math.max(0, cappedChargeOf(hit.price, withFees(hit.price, found.usage)) - amount);
  const record: CallRecord = {
    ...recordOf(incoming, caller, prepared, NO_CHANNEL, began),
    ...(found.conversion === undefined ? {} : { conversion: found.conversion }),
    hit: { age, key: found.key, saved },
  };
  if (virtual !== undefined) {
    if (virtual.hasOwnPrice) record.model = virtual.name;
    record.route = { asked: virtual.name, served: prepared.model, steps: [] };
  }
  const hold = await takeExactHold(
    parts,
    {
      requestId: incoming.requestId,
      prepared,
      price,
      record,
      plans,
      tags: () => tagsGiven(headers, asked.fields),
    },
    { amount, outputTokens: completionTokens(usage) },
  );
  const settlement = await settleHit(parts, incoming, { hold, price, record, prepared }, found);
  parts.answers.count('hit');
  parts.answers.figures.hit(caller.userId, saved);
  return responseOf(incoming, asked, { found, record, settlement, age });
}

type Billed = Pick<Hit, 'prepared' | 'price'> & { readonly hold: Hold; readonly record: CallRecord };

async function settleHit(
  parts: HitParts,
  { request, startedAt }: Incoming,
  billed: Billed,
  { usage }: KeptAnswer,
): Promise<Settlement> {
  await using _held = billed.hold;
  const { record, prepared } = billed;
  if (parts.watcher !== undefined) record.trace = parts.watcher.parentOf(request.headers);
  return await settleCall(
    { ...parts, costs: FREE },
    { ...billed, startedAt },
    {
      usage,
      estimated: false,
      firstTokenMilliseconds: prepared.isStream ? performance.now() - startedAt : undefined,
      ending: '',
      doubts: [],
    },
  );
}

/** The same object for the same price: rates and the beginnings of log rows are remembered by it. */
const hitPrices = new WeakMap<PriceSnapshot, PriceSnapshot>();

export function priceOfHit(price: PriceSnapshot, percent: number): PriceSnapshot {
  // Two decimals further left, without the noise of a product.
  const hitRatio = percent / 100;
  const known = hitPrices.get(price);
  if (known?.hitRatio === hitRatio) return known;
  const made = { ...price, hitRatio };
  hitPrices.set(price, made);
  return made;
}

interface Answered {
  readonly found: KeptAnswer;
  readonly record: CallRecord;
  readonly settlement: Settlement;
  readonly age: number;
}

const EVENTS = 'text/event-stream; charset=utf-8';
const ARRAY = 'application/json; charset=UTF-8';

function responseOf(
  { request, requestId }: Incoming,
  { isStream, wantsArray }: PreparedCall,
  { found, record, settlement, age }: Answered,
): Response {
  const wantsReport = request.headers.get('x-tollgate-report') !== null;
  const type = found.contentType === '' ? (wantsArray ? ARRAY : EVENTS) : passedType(found.contentType);
  const headers = isStream
    ? streamHeaders(request, requestId, type)
    : answerHeaders(request, requestId, type);
  cacheHeaders(headers, { state: 'hit', key: found.key, age });
  modelHeader(headers, record);
  if (wantsReport) receiptHeader(headers, record);
  // Of an answer in one piece, and of one that came in one piece as events.
  const isWhole = found.contentType !== '';
  if (wantsReport && isWhole) reportHeaders(headers, settlement);
  const comment = wantsReport && !isWhole ? reportComment(settlement) : '';
  return new Response(bytesOf(found, wantsArray && !isWhole, comment), { headers });
}

function bytesOf(
  { body, closing }: KeptAnswer,
  isArray: boolean,
  comment: string,
): Uint8Array<ArrayBuffer> | string {
  if (closing.length === 0 && comment === '' && !isArray) return body as Uint8Array<ArrayBuffer>;
  if (!isArray) return Buffer.concat([body, Buffer.from(comment), closing]);
  const array = jsonArray();
  const decoder = new TextDecoder();
  return array.frame(decoder.decode(body) + decoder.decode(closing)) + array.close();
}
