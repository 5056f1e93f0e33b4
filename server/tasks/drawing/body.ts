// What of a submission goes to the upstream: the caller's fields, without what the operator does not pass on, and with our
// own address for reports in place of the caller's.
import type { Settings } from '#contract/settings.ts';

export const SPEEDS = ['fast', 'relax', 'turbo'] as const;
export type Speed = (typeof SPEEDS)[number];

type Body = Readonly<Record<string, unknown>>;

export interface BodyOptions {
  settings: Pick<Settings, 'MjAccountFilterEnabled' | 'MjModeClearEnabled'>;
  /** Asked for by the path. */
  speed: Speed | undefined;
  /** Where the upstream reports to; undefined: nowhere. */
  reportTo: string | undefined;
}

const speedFlag = new RegExp(`(^|\\s)--(?:${SPEEDS.join('|')})(?=\\s|$)`, 'gi');

export const withoutSpeeds = (prompt: string): string =>
  prompt
    .replaceAll(speedFlag, '')
    .replaceAll(/\s{2,}/g, ' ')
    .trim();

export function upstreamBody(body: Body, { settings, speed, reportTo }: BodyOptions): Body {
  const { accountFilter, notifyHook: _, ...rest } = body;
  const sent: Record<string, unknown> = { ...rest };
  if (settings.MjModeClearEnabled && typeof sent['prompt'] === 'string')
    sent['prompt'] = withoutSpeeds(sent['prompt']);
  const filter = settings.MjAccountFilterEnabled ? accountFilter : undefined;
  if (speed !== undefined) sent['accountFilter'] = { ...objectOf(filter), modes: [speed.toUpperCase()] };
  else if (filter !== undefined) sent['accountFilter'] = filter;
  if (reportTo !== undefined) sent['notifyHook'] = reportTo;
  return sent;
}

function objectOf(value: unknown): Body {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Body) : {};
}
