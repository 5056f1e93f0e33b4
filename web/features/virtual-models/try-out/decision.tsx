/** What would happen to a call: every target in order with its outcome and the reason. */
import { useTranslation } from 'react-i18next';
import type { Simulation } from '#contract/relay/virtual-models.ts';
import { useRuleWords } from '#web/features/virtual-models/rule-words.ts';
import { StatusBadge, type StatusKind } from '#web/ui/badge/status.tsx';
import { formatMoney, groupDigits, renderNumber } from '#web/ui/format/number.ts';
import classes from './try-out.module.css';

type Row = Simulation['targets'][number];
/** `after`: the failures of the target before it, after which it is tried. */
type PlacedRow = Row & { place: number; after: Row['fall_back_on'] };

/** What a call costs at most is often below a cent. */
const COST_DECIMALS = 6;
const KINDS: Record<Row['outcome'], StatusKind> = { first: 'enabled', next: 'queued', skipped: 'disabled' };

function placed(targets: readonly Row[]): PlacedRow[] {
  let after: Row['fall_back_on'] = [];
  return targets.map((row, index) => {
    const before = after;
    if (row.outcome !== 'skipped') after = row.fall_back_on;
    return { ...row, place: index + 1, after: before };
  });
}

export function Decision({ targets, hedging }: Pick<Simulation, 'targets' | 'hedging'>) {
  const { t } = useTranslation('virtual-models');
  const first = targets.find(({ outcome }) => outcome === 'first');
  return (
    <section className={classes.decision} aria-label={t('tryOut.result')}>
      <p role="status" className="strong">
        {first === undefined ? t('tryOut.nobody') : t('tryOut.answers', { model: first.model })}
      </p>
      <ol>
        {placed(targets).map((row) => (
          <Target key={row.place} row={row} />
        ))}
      </ol>
      {hedging === null ? null : (
        <p className="small soft anywhere">
          <Hedging hedging={hedging} />
        </p>
      )}
    </section>
  );
}

/** Whether a late first token starts a second attempt, and when. */
function Hedging({ hedging: { state, waits } }: { hedging: NonNullable<Simulation['hedging']> }) {
  const { t } = useTranslation('virtual-models');
  if (state !== 'on') return <>{t(`tryOut.hedging.${state}`)}</>;
  const words = waits.map(({ name: channel, milliseconds }) =>
    milliseconds === null
      ? t('tryOut.hedging.unmeasured', { channel })
      : t('tryOut.hedging.wait', { channel, seconds: (milliseconds / 1000).toFixed(2) }),
  );
  return <>{t('tryOut.hedging.on', { waits: words.join(' · ') })}</>;
}

function Target({ row }: { row: PlacedRow }) {
  const { t } = useTranslation('virtual-models');
  const { place, model, outcome, channels } = row;
  return (
    <li data-skipped={outcome === 'skipped' || undefined}>
      <span className="muted tabular">{place}</span>
      <div className="stack2 grow">
        <StatusBadge kind={KINDS[outcome]}>
          <span className={`anywhere ${classes.model}`}>{model}</span>
        </StatusBadge>
        <span className="small soft anywhere">
          <Outcome row={row} />
        </span>
      </div>
      <div className={`stack2 note number ${classes.figures}`}>
        <Figures row={row} />
        <span>{t('tryOut.channels', { count: channels })}</span>
      </div>
    </li>
  );
}

function Figures({ row: { prompt_tokens, context_tokens, most_cost } }: { row: PlacedRow }) {
  const { t } = useTranslation('virtual-models');
  if (prompt_tokens === null || most_cost === null) return null;
  const most = context_tokens === null ? t('tryOut.unknownContext') : renderNumber(context_tokens);
  return (
    <>
      <span>{t('tryOut.cost', { amount: formatMoney(most_cost, COST_DECIMALS) })}</span>
      <span>{t('tryOut.tokens', { prompt: groupDigits(prompt_tokens), most })}</span>
    </>
  );
}

function Outcome({ row: { outcome, reason, after } }: { row: PlacedRow }) {
  const { t } = useTranslation('virtual-models');
  const words = useRuleWords();
  if (outcome === 'first') return <>{t('tryOut.first')}</>;
  if (outcome === 'next') return <>{t('tryOut.next', { kinds: words.fallbacks(after) })}</>;
  return <>{t('tryOut.skipped', { reason: reason === null ? '' : words.reason(reason) })}</>;
}
