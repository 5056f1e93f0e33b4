// The body sent to the upstream: the caller's fields, without those the operator blocks, and with our callback URL in place
// of the caller's.
import { DRAWING_SPEEDS, type DrawingSpeed } from '#contract/relay/drawing.ts';
import type { Settings } from '#contract/settings.ts';

type Body = Readonly<Record<string, unknown>>;

export interface BodyOptions {
  settings: Pick<Settings, 'MjAccountFilterEnabled' | 'MjModeClearEnabled'>;
  /** From the path. */
  speed: DrawingSpeed | undefined;
  /** The token's default, for submissions without a speed. */
  usualSpeed?: DrawingSpeed | undefined;
  /** The callback URL; undefined for none. */
  reportTo: string | undefined;
}

const speedFlag = new RegExp(`(^|\\s)--(?:${DRAWING_SPEEDS.join('|')})(?=\\s|$)`, 'gi');

export const withoutSpeeds = (prompt: string): string =>
  prompt
    .replaceAll(speedFlag, '')
    .replaceAll(/\s{2,}/g, ' ')
    .trim();

export function upstreamBody(body: Body, { settings, speed, usualSpeed, reportTo }: BodyOptions): Body {
  const { accountFilter, notifyHook: _, ...rest } = body;
  const sent: Record<string, unknown> = { ...rest };
  if (settings.MjModeClearEnabled && typeof sent['prompt'] === 'string')
    sent['prompt'] = withoutSpeeds(sent['prompt']);
  const filter = settings.MjAccountFilterEnabled ? accountFilter : undefined;
  const wanted = speed ?? (namesSpeed(sent['prompt'], filter) ? undefined : usualSpeed);
  if (wanted !== undefined) sent['accountFilter'] = { ...objectOf(filter), modes: [wanted.toUpperCase()] };
  else if (filter !== undefined) sent['accountFilter'] = filter;
  if (reportTo !== undefined) sent['notifyHook'] = reportTo;
  return sent;
}

function namesSpeed(prompt: unknown, filter: unknown): boolean {
  const { modes } = objectOf(filter);
  const isFlagged = typeof prompt === 'string' && prompt.search(speedFlag) >= 0;
  return isFlagged || (Array.isArray(modes) && modes.length > 0);
}

function objectOf(value: unknown): Body {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Body) : {};
}
