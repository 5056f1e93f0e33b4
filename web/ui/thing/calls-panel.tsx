/** The calls of a thing: four numbers with what to compare them to, and a post for each hour or day. */
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import type { ThingCalls } from '#contract/admin/thing-parts.ts';
import type { ThingWindow } from '#contract/thing-window.ts';
import { groupDigits } from '#web/ui/format/number.ts';
import type { ThingFigure } from './figures.tsx';
import type { PostPlace } from './hour-posts.tsx';
import { PostsPanel } from './posts-panel.tsx';

interface CallsPanelProps {
  calls: ThingCalls;
  window: ThingWindow;
  step: number;
  onWindow: (window: ThingWindow) => void;
  /** The log of a post. */
  placeOf?: (from: number, to: number) => PostPlace;
  mark?: { at: number; label: string };
  /** What to compare the first token and the speed to. */
  compared?: { name: string; first_token: number; speed: number } | null;
  /** Below the number of calls, in place of how many failed. */
  callsBasis?: ReactNode;
  /** The first token is a mean, not a median. */
  isMean?: boolean;
}

/** Below this share of answered calls the figure is loud. */
const GOOD_SHARE = 0.95;

const share = (answered: number, failed: number): number | undefined =>
  answered + failed === 0 ? undefined : answered / (answered + failed);
const percentText = (value: number): string => (value * 100).toFixed(1);
const secondsText = (milliseconds: number): string => (milliseconds / 1000).toFixed(2);

export function CallsPanel({
  calls,
  window,
  step,
  onWindow,
  placeOf,
  mark,
  compared,
  callsBasis,
  isMean = false,
}: CallsPanelProps) {
  const { t } = useTranslation('thing');
  const { answered, failed, failed_calls, before, first_token, speed } = calls;
  const now = share(answered, failed);
  const earlier = share(before.answered, before.failed);
  const figures: ThingFigure[] = [
    {
      label: t('calls.calls'),
      value: groupDigits(answered + failed),
      basis:
        callsBasis ??
        (failed === 0
          ? t('calls.noneFailed')
          : failed_calls >= failed
            ? t('calls.failed', { failed: groupDigits(failed) })
            : t('calls.failedOf', { failed: groupDigits(failed), calls: groupDigits(failed_calls) })),
    },
    {
      label: t('calls.answered'),
      value: now === undefined ? undefined : percentText(now),
      unit: '%',
      tone: now !== undefined && now < GOOD_SHARE ? 'danger' : undefined,
      basis:
        now === undefined
          ? t('tooFew')
          : earlier === undefined
            ? t(`calls.nothingBefore.${window}`)
            : t(`calls.before.${window}`, { percent: percentText(earlier) }),
    },
    {
      label: t(isMean ? 'calls.firstTokenMean' : 'calls.firstToken'),
      value: first_token > 0 ? secondsText(first_token) : undefined,
      unit: 's',
      basis:
        first_token === 0
          ? t('calls.noStreams')
          : compared && compared.first_token > 0
            ? `${compared.name} ${secondsText(compared.first_token)} s`
            : undefined,
    },
    {
      label: t('calls.speed'),
      value: speed > 0 ? String(speed) : undefined,
      unit: t('calls.perSecond'),
      basis:
        speed === 0
          ? t('tooFew')
          : compared && compared.speed > 0
            ? `${compared.name} ${compared.speed} ${t('calls.perSecond')}`
            : undefined,
    },
  ];
  return (
    <PostsPanel
      figures={figures}
      posts={calls.posts.map(({ first_token: firstToken, ...post }) => ({ ...post, firstToken }))}
      window={window}
      step={step}
      onWindow={onWindow}
      placeOf={placeOf ? ({ at }) => placeOf(at, at + step - 1) : undefined}
      mark={mark}
      isMean={isMean}
    />
  );
}
