// What an upstream says in the headers of an answer that its limits leave: OpenAI's names, which most others use too, and
// Anthropic's. An answer without them costs four lookups.
import { amountIn, secondsIn } from './amounts.ts';

export type HeaderReader = (name: string) => string | undefined;

export interface Allowance {
  /** 0: not known. */
  readonly limit: number;
  readonly left: number;
  readonly resetSeconds: number;
}

export interface Left {
  readonly requests: Allowance | undefined;
  readonly tokens: Allowance | undefined;
  /** Whose limits they are; '': the upstream does not say. */
  readonly organization: string;
}

interface Names {
  readonly left: string;
  readonly limit: string;
  readonly reset: string;
}

const openai = (kind: string): Names => ({
  left: `x-ratelimit-remaining-${kind}`,
  limit: `x-ratelimit-limit-${kind}`,
  reset: `x-ratelimit-reset-${kind}`,
});
const anthropic = (kind: string): Names => ({
  left: `anthropic-ratelimit-${kind}-remaining`,
  limit: `anthropic-ratelimit-${kind}-limit`,
  reset: `anthropic-ratelimit-${kind}-reset`,
});

/** A vendor that sends any of them sends the first of requests or of tokens. */
const FAMILIES = [
  {
    organization: 'openai-organization',
    requests: [openai('requests')],
    // A project may have a limit of its own below the organization's.
    tokens: [openai('tokens'), openai('project-tokens')],
  },
  {
    organization: 'anthropic-organization-id',
    requests: [anthropic('requests')],
    tokens: [anthropic('tokens'), anthropic('input-tokens'), anthropic('output-tokens')],
  },
];

/** Where an upstream names no time, its limits are those of a minute. */
const USUAL_RESET_SECONDS = 60;
const LONGEST_ID = 100;

/** Undefined when the answer says nothing of limits. */
export function readLeft(header: HeaderReader, nowMilliseconds: number): Left | undefined {
  for (const { requests, tokens, organization } of FAMILIES) {
    if (!isSent(header, requests) && !isSent(header, tokens)) continue;
    const left = {
      requests: least(header, requests, nowMilliseconds),
      tokens: least(header, tokens, nowMilliseconds),
      organization: header(organization)?.slice(0, LONGEST_ID) ?? '',
    };
    return left.requests === undefined && left.tokens === undefined ? undefined : left;
  }
  return undefined;
}

function isSent(header: HeaderReader, [first]: readonly Names[]): boolean {
  return first !== undefined && header(first.left) !== undefined;
}

/** The limit that ends first: the one of which the smaller part is left. */
function least(
  header: HeaderReader,
  kinds: readonly Names[],
  nowMilliseconds: number,
): Allowance | undefined {
  let found: Allowance | undefined;
  for (const names of kinds) {
    const left = amountIn(header(names.left));
    const limit = amountIn(header(names.limit));
    // A limit of 0 is sent where there is none.
    if (left === undefined || limit === 0) continue;
    if (found !== undefined && partLeft(found) <= partLeft({ limit: limit ?? 0, left })) continue;
    const resetSeconds = secondsIn(header(names.reset), nowMilliseconds) ?? USUAL_RESET_SECONDS;
    found = { limit: limit ?? 0, left, resetSeconds };
  }
  return found;
}

/** 0 to 1. */
export function partLeft({ limit, left }: Pick<Allowance, 'limit' | 'left'>): number {
  if (left <= 0) return 0;
  return limit > 0 ? Math.min(1, left / limit) : 1;
}
