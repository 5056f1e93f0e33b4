// What the limits of upstreams leave, as their last answers said, by channel and model: on this node, in memory, bounded. A channel
// of which a limit is known to be used up is passed over while another can serve; one with less than half left gets fewer calls.
import { partLeft, type Allowance, type Left } from '#server/models/limits/rate-headers.ts';

export interface Headroom {
  /** An answer of the channel said what is left. */
  note(channel: Owner, model: string, left: Left): void;
  /** The organization's limit for the model was refused: its other channels are at it too, as far as they are known. */
  refused(channelId: number, model: string, seconds: number): void;
  /** A call begins; the next answer says what is left after it. */
  spend(channelId: number, model: string): void;
  /** Nothing is left of a limit until its reset. */
  isEmpty(channelId: number, model: string): boolean;
  /** The part of its calls that the channel gets: 1 while half of its limits is left, then in proportion, and never 0. */
  share(channelId: number, model: string): number;
  /** What is known and has not ended. */
  of(channelId: number): LeftOfModel[];
}

interface Owner {
  readonly id: number;
  readonly baseUrl: string;
}

export interface LeftOfLimit {
  /** 0: not known. */
  readonly limit: number;
  readonly left: number;
  readonly resetSeconds: number;
}

export interface LeftOfModel {
  /** The upstream's name. */
  readonly model: string;
  readonly requests: LeftOfLimit | undefined;
  readonly tokens: LeftOfLimit | undefined;
}

interface Known {
  limit: number;
  left: number;
  /** Milliseconds of the clock; what is known ends then. */
  until: number;
}

interface KnownModel {
  readonly requests: Known;
  readonly tokens: Known;
}

interface KnownChannel {
  readonly models: Map<string, KnownModel>;
  account: string;
  /** Its answers named several organizations: it resells, and no other channel shares its limits. */
  isMixed: boolean;
}

/** Callers choose suffixes of names, so that one channel may see many. */
const MOST_MODELS = 200;
const LONGEST_SECONDS = 3600;
/** Upstreams round what is left, and no call is smaller. */
const LEAST_PART_OF_TOKENS = 0.01;
const PLENTY = 0.5;
const LEAST_SHARE = 0.02;

/** Of a caller's name for a model. */
export type UpstreamName = (channelId: number, model: string) => string;

export function createHeadroom(now: () => number, upstreamName: UpstreamName): Headroom {
  const channels = new Map<number, KnownChannel>();

  function modelOf({ models }: KnownChannel, model: string): KnownModel {
    let known = models.get(model);
    if (known === undefined) {
      const [oldest] = models.keys();
      if (models.size >= MOST_MODELS && oldest !== undefined) models.delete(oldest);
      models.set(model, (known = { requests: unknown(), tokens: unknown() }));
    }
    return known;
  }

  function accountOf(channel: KnownChannel, { baseUrl }: Owner, organization: string): void {
    if (organization === '' || channel.isMixed) return;
    const account = `${baseUrl} ${organization}`;
    if (channel.account === '') channel.account = account;
    else if (channel.account !== account) channel.isMixed = true;
  }

  function find(channelId: number, model: string): KnownModel | undefined {
    const channel = channels.size === 0 ? undefined : channels.get(channelId);
    return channel?.models.get(upstreamName(channelId, model));
  }

  return {
    note(owner, model, { requests, tokens, organization }) {
      let channel = channels.get(owner.id);
      if (channel === undefined)
        channels.set(owner.id, (channel = { models: new Map(), account: '', isMixed: false }));
      accountOf(channel, owner, organization);
      const known = modelOf(channel, upstreamName(owner.id, model));
      update(known.requests, requests, now());
      update(known.tokens, tokens, now());
    },
    refused(channelId, model, seconds) {
      const refusing = channels.get(channelId);
      if (refusing === undefined || refusing.account === '' || refusing.isMixed) return;
      for (const [id, channel] of channels) {
        if (id === channelId || channel.isMixed || channel.account !== refusing.account) continue;
        update(
          modelOf(channel, upstreamName(channelId, model)).requests,
          { limit: 0, left: 0, resetSeconds: seconds },
          now(),
        );
      }
    },
    spend(channelId, model) {
      const known = find(channelId, model);
      if (known !== undefined && known.requests.left > 0) known.requests.left -= 1;
    },
    isEmpty(channelId, model) {
      const known = find(channelId, model);
      return (
        known !== undefined &&
        (isUsedUp(known.requests, 0, now()) || isUsedUp(known.tokens, LEAST_PART_OF_TOKENS, now()))
      );
    },
    share(channelId, model) {
      const known = find(channelId, model);
      if (known === undefined) return 1;
      const part = Math.min(partOf(known.requests, now()), partOf(known.tokens, now()));
      return part >= PLENTY ? 1 : Math.max(LEAST_SHARE, part / PLENTY);
    },
    of(channelId) {
      const at = now();
      return [...(channels.get(channelId)?.models ?? [])].flatMap(([model, { requests, tokens }]) => {
        const left = { model, requests: shown(requests, at), tokens: shown(tokens, at) };
        return left.requests === undefined && left.tokens === undefined ? [] : [left];
      });
    },
  };
}

const unknown = (): Known => ({ limit: 0, left: 0, until: 0 });

function update(known: Known, given: Allowance | undefined, now: number): void {
  if (given === undefined) return;
  known.limit = given.limit;
  known.left = given.left;
  known.until = now + Math.min(given.resetSeconds, LONGEST_SECONDS) * 1000;
}

const isUsedUp = (known: Known, leastPart: number, now: number): boolean =>
  now < known.until && (known.left < 1 || known.left < known.limit * leastPart);

const partOf = (known: Known, now: number): number => (now < known.until ? partLeft(known) : 1);

const shown = ({ limit, left, until }: Known, now: number): LeftOfLimit | undefined =>
  now < until ? { limit, left: Math.max(0, left), resetSeconds: (until - now) / 1000 } : undefined;
