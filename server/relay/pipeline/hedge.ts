// A stream whose first token is later than usual gets a second attempt on another channel (ADR 121). The attempt whose first event comes
// first has the call; the other one is ended, is no failure of its channel, and costs the operator what it had cost by then. Both share
// hold, charge and log row. Each has a call of its own until one has won, so that neither sees what the other does.
import type { RunningCall, Race as AttemptRace } from '#server/relay/call/running-call.ts';
import { callerLeft } from '#server/relay/call/running-calls.ts';
import { cappedChargeOf } from '#server/money/prices/charge.ts';
import { withFees } from '#server/money/prices/tiers.ts';
import type { Channel } from '#server/relay/channel-choice/catalog.ts';
import { mapModel } from '#server/relay/channel-choice/mapping.ts';
import { selectChannel } from '#server/relay/channel-choice/select.ts';
import { RelayError } from '#server/relay/errors/relay-error.ts';
import type { Booking, Loss } from '#server/relay/money/hedge-book.ts';
import type { HedgeRecord } from '#server/relay/money/log-row.ts';
import { boughtCall, estimatedUsage } from '#server/relay/money/settlement.ts';
import type { StreamCover } from '#server/relay/money/stream-cover.ts';
import { isRepeatable } from '#server/relay/request/repeatable.ts';
import { promptTexts } from '#server/relay/request/word-filter.ts';
import { attempt, type AttemptResult } from './attempt.ts';
import type { Core } from './core.ts';
import { noteFailure } from './retry.ts';

/** One look for a call that is not hedged. */
export function attemptInTime(
  core: Core,
  call: RunningCall,
  channel: Channel,
  tried: number[],
): Promise<AttemptResult> {
  const { caller, route } = call;
  const isOn = route?.virtual.isHedged === true || core.settings.current.HedgeGroups.includes(caller.group);
  if (!isOn || caller.channelId !== undefined || !isRepeatable(call.prepared))
    return attempt(core, call, channel);
  return new Race(core, call, tried).run(channel);
}

type Ended = AttemptResult | { kind: 'thrown'; error: unknown };

interface Racer {
  readonly call: RunningCall;
  readonly begunAt: number;
  readonly ended: Promise<Ended>;
  /** Undefined while it runs. */
  end: Ended | undefined;
}

class Race implements AttemptRace {
  readonly #core: Core;
  readonly #call: RunningCall;
  readonly #tried: number[];
  #racers: Racer[] = [];
  #winner: RunningCall | undefined;
  #decision: HedgeRecord | undefined;

  constructor(core: Core, call: RunningCall, tried: number[]) {
    this.#core = core;
    this.#call = call;
    this.#tried = tried;
  }

  async run(channel: Channel): Promise<AttemptResult> {
    const call = this.#call;
    this.#core.hedges.earn();
    call.race = this;
    try {
      const first = this.#start(channel, call.cover);
      const seconds = this.#core.firstTokens.lateAfter(channel.id, call.prepared.model);
      const isHedged = call.record.hedge !== undefined;
      if (seconds === undefined || isHedged || (await endsWithin(first, seconds))) {
        await first.ended;
        return this.#result(first);
      }
      const booked = await this.#startSecond(first);
      if (booked === undefined) {
        await first.ended;
        return this.#result(first);
      }
      const last = await this.#decide(first, booked.second);
      void this.#bookLoss(booked.booking, last === first ? booked.second : first);
      return this.#result(last);
    } finally {
      call.race = undefined;
    }
  }

  /** By the attempt whose answer begins. False: another one has the call. */
  claim(winner: RunningCall): boolean {
    if (this.#winner !== undefined) return this.#winner === winner;
    this.#winner = winner;
    const { firstTokens } = this.#core;
    const now = performance.now();
    const lost: Racer[] = [];
    for (const racer of this.#racers) {
      const { channel, prepared } = racer.call;
      const milliseconds = now - racer.begunAt;
      if (racer.call !== winner) {
        lost.push(racer);
        // How long it would have taken is not known: that it is late says something, that it is not says nothing.
        const late = firstTokens.lateAfter(channel.id, prepared.model);
        if (late === undefined || milliseconds < late || racer.end !== undefined) continue;
      }
      firstTokens.note(channel.id, prepared.model, milliseconds);
    }
    for (const racer of lost) this.#stop(racer, now);
    this.#write(winner, lost);
    return true;
  }

  /** Ends all of it, unless an answer has begun. */
  stop(): void {
    if (this.#winner !== undefined) return;
    for (const { call } of this.#racers) callerLeft(call);
  }

  #start(channel: Channel, cover: StreamCover | undefined): Racer {
    const { running } = this.#core;
    const call: RunningCall = {
      ...this.#call,
      channel,
      cover,
      outbound: undefined,
      stream: undefined,
      isUncovered: false,
      placeInSet: -1,
      record: { ...this.#call.record, attempts: [], channelId: channel.id, channelName: channel.name },
    };
    running.add(call);
    const ended = attempt(this.#core, call, channel)
      .catch((error: unknown): Ended => ({ kind: 'thrown', error }))
      .then((end) => {
        running.remove(call);
        racer.end = end;
        return end;
      });
    const racer: Racer = { call, begunAt: performance.now(), ended, end: undefined };
    this.#racers.push(racer);
    return racer;
  }

  /** Undefined: there is none, for the reason in the decision or because the first attempt has ended meanwhile. */
  async #startSecond(first: Racer): Promise<BookedSecond | undefined> {
    const { breaker, hedges } = this.#core;
    const { prepared, caller, record } = first.call;
    const after = Math.round(performance.now() - first.begunAt);
    const isOver = () =>
      this.#winner !== undefined || first.end !== undefined || first.call.hasLeft || this.#core.isDraining;
    if (isOver()) return undefined;
    const channel = this.#anotherChannel();
    if (channel === undefined || !hedges.take()) {
      this.#decision = { after, refused: channel === undefined ? 'no_channel' : 'share' };
      return undefined;
    }
    breaker.begin(channel.id, prepared.model);
    const upstreamModel = mapModel(channel.modelMapping, prepared.model);
    const expected = this.#lossOf({
      ...first.call,
      record: { ...record, channelId: channel.id, upstreamModel },
    });
    const most = Math.max(expected.spent, this.#lossOf(first.call).spent);
    const bought = { model: record.model, group: caller.group, userId: caller.userId };
    const booking = await hedges.begin(bought, expected, most);
    if (booking === undefined || isOver()) {
      breaker.end(channel.id);
      hedges.giveBack();
      if (booking === undefined) this.#decision = { after, refused: 'money' };
      booking?.end(undefined);
      return undefined;
    }
    this.#tried.push(channel.id);
    this.#decision = { after, channel: channel.id };
    return { second: this.#start(channel, this.#call.cover?.beside()), booking };
  }

  /** Not one that is at a limit of its upstream: the call has an attempt already. */
  #anotherChannel(): Channel | undefined {
    const { breaker, catalog, orders } = this.#core;
    const { caller, prepared } = this.#call;
    const { model } = prepared;
    const tiers = orders.of(catalog.current.tiers(caller.group, model), model);
    const selection = selectChannel(tiers, this.#tried, breaker, prepared);
    if (!('channel' in selection) || breaker.headroom.isEmpty(selection.channel.id, model)) return undefined;
    return selection.channel;
  }

  /** The attempt whose result is that of the call. A failure waits for the other attempt. */
  async #decide(first: Racer, second: Racer): Promise<Racer> {
    const one = await Promise.race([first.ended.then(() => first), second.ended.then(() => second)]);
    if (this.#hasWon(one)) return one;
    const other = one === first ? second : first;
    this.#noteFailure(one);
    await other.ended;
    if (this.#hasWon(other)) return other;
    const last = first.call.hasLeft ? first : (failedOf(other) ?? failedOf(one) ?? first);
    this.#write(
      last.call,
      [first, second].filter((racer) => racer !== last),
    );
    return last;
  }

  #hasWon({ call, end }: Racer): boolean {
    return end?.kind === 'stream' || (end?.kind === 'whole' && this.claim(call));
  }

  /** Of the attempt that is not the last one. */
  #noteFailure(racer: Racer): void {
    const { call, end } = racer;
    if (end?.kind === 'thrown' && !(end.error instanceof RelayError))
      this.#core.log.error('an attempt of a hedged call failed', {
        request_id: call.requestId,
        error: end.error,
      });
    if (end?.kind !== 'failure' || call.hasLeft) return;
    const { requestId, record, prepared, channel } = call;
    const failed = {
      requestId,
      record,
      requestText: () => JSON.stringify(prepared.fields),
      promptTexts: () => promptTexts(prepared.fields),
    };
    racer.end = {
      kind: 'failure',
      failure: noteFailure(this.#core, failed, channel, end.failure),
      isNoted: true,
    };
  }

  #stop({ call, begunAt, end }: Racer, now: number): void {
    if (end !== undefined) return;
    const entry = call.record.attempts.at(-1);
    if (entry !== undefined) {
      entry.lost = true;
      entry.milliseconds = Math.round(now - begunAt);
    }
    callerLeft(call);
  }

  /** What the log row tells: all attempts, the one that decided last. */
  #write({ record }: RunningCall, others: readonly Racer[]): void {
    const before = this.#call.record.attempts;
    record.attempts.unshift(...before, ...others.flatMap(({ call }) => call.record.attempts));
    if (this.#decision !== undefined) record.hedge = this.#decision;
  }

  /** The call goes on as this attempt. */
  #result({ call: racer, end }: Racer): AttemptResult {
    const call = this.#call;
    const { channel, outbound, stream, cover, isUncovered, isNoted, record } = racer;
    if (this.#winner === undefined && end?.kind === 'whole') this.claim(racer);
    if (this.#winner === undefined && this.#racers.length === 1) this.#write(racer, []);
    Object.assign(call, { channel, outbound, stream, cover, isUncovered, isNoted });
    Object.assign(call.record, record);
    if (end === undefined) throw new Error('an attempt without an end decided a call');
    if (end.kind === 'thrown') throw end.error;
    return end;
  }

  /** Later: the attempt that lost may still be ending. */
  async #bookLoss(booking: Booking, loser: Racer): Promise<void> {
    await loser.ended;
    const { call, end } = loser;
    // An attempt that failed by itself costs nothing, as elsewhere (ADR 70).
    const isSent =
      call.outbound !== undefined && (call.hasLeft ? end?.kind !== 'thrown' : end?.kind === 'whole');
    booking.end(isSent ? this.#lossOf(call) : { channelId: call.channel.id, cost: 0, spent: 0 });
  }

  /** The prompt as estimated, and what of the answer had come. */
  #lossOf(call: RunningCall): Loss {
    const usage = estimatedUsage(call, call.stream?.events.deliveredTokens ?? 0);
    const { channelId } = call.record;
    const cost = this.#core.costs.costOf(boughtCall(call.record), usage);
    return { channelId, cost, spent: cost ?? cappedChargeOf(call.price, withFees(call.price, usage)) };
  }
}

interface BookedSecond {
  readonly second: Racer;
  readonly booking: Booking;
}

const failedOf = (racer: Racer): Racer | undefined => (racer.end?.kind === 'failure' ? racer : undefined);

/** Whether the attempt ends in so many milliseconds. */
async function endsWithin({ ended }: Racer, milliseconds: number): Promise<boolean> {
  const late = Promise.withResolvers<boolean>();
  const timer = setTimeout(() => late.resolve(false), milliseconds);
  const isInTime = await Promise.race([ended.then(() => true), late.promise]);
  clearTimeout(timer);
  return isInTime;
}
