/** The charge as an equation of ratios, and what stands below either equation; a term has the colour of its part in the bar. */
import { useTranslation } from 'react-i18next';
import type { LogView } from '#contract/admin/logs.ts';
import { Tag } from '#web/ui/badge/tag.tsx';
import { groupDigits, renderNumber } from '#web/ui/format/number.ts';
import { chargeNote, largestPart, moneyText, type Charge, type PaidParts } from './charge.ts';
import { printedCharge, quotaMoney } from './printed-prices.ts';
import type { LogDetails } from './other.ts';
import type { TokenClass } from '#contract/money/token-classes.ts';
import classes from './equation.module.css';

export const COLOURS: Record<TokenClass, string> = {
  input: 'var(--chart-1)',
  cacheRead: 'var(--chart-4)',
  cacheWrite5m: 'var(--chart-7)',
  cacheWrite1h: 'var(--chart-3)',
  imageInput: 'var(--chart-6)',
  audioInput: 'var(--chart-8)',
  output: 'var(--chart-2)',
  reasoning: 'var(--chart-9)',
  audioOutput: 'var(--chart-5)',
};

export function Term({ value, caption, colour }: { value: string; caption: string; colour?: string }) {
  return (
    <span className={classes.term}>
      <span className={classes.value} style={{ borderColor: colour ?? 'var(--line-control)' }}>
        {value}
      </span>
      <span className={`tiny nowrap ${classes.caption}`}>{caption}</span>
    </span>
  );
}

export const Sign = ({ children }: { children: string }) => <span className={classes.sign}>{children}</span>;

function TokenTerms({ charge }: { charge: Charge }) {
  const { t } = useTranslation('logs');
  return (
    <>
      <Sign>(</Sign>
      {charge.terms.map((term, index) => (
        <span key={term.name} className={classes.joined}>
          {index > 0 ? <Sign>+</Sign> : null}
          <Term
            value={[groupDigits(term.count), ...[term.ratio, term.tier].filter(isNotOne).map(plain)].join(
              ' × ',
            )}
            caption={t(term.ratio === 1 ? `charge.name.${term.name}` : `charge.term.${term.name}`)}
            colour={COLOURS[term.name]}
          />
        </span>
      ))}
      <Sign>)</Sign>
      <Sign>×</Sign>
      <Term value={plain(charge.modelRatio)} caption={t('charge.modelRatio')} />
    </>
  );
}

function PriceTerms({ charge }: { charge: Charge }) {
  const { t } = useTranslation('logs');
  const priceCaption = [t('charge.price'), charge.resolution].filter((word) => word !== '').join(' · ');
  return (
    <>
      <Term value={moneyText(charge.price)} caption={priceCaption} colour={COLOURS.input} />
      {charge.pieces === 1 && !charge.bySecond ? null : (
        <>
          <Sign>×</Sign>
          <Term
            value={plain(charge.pieces)}
            caption={t(charge.bySecond ? 'charge.seconds' : 'charge.pieces')}
          />
        </>
      )}
    </>
  );
}

const isNotOne = (ratio: number) => ratio !== 1;

/** Ratios as they were set, without binary rounding errors. */
export function plain(value: number): string {
  return String(Number(value.toPrecision(10)));
}

export function RatioEquation({ charge, row }: { charge: Charge; row: LogView }) {
  const { t } = useTranslation('logs');
  const isTokens = charge.kind === 'tokens';
  return (
    <div className={classes.equation} role="math" aria-label={t('charge.equation')}>
      {isTokens ? <TokenTerms charge={charge} /> : <PriceTerms charge={charge} />}
      <Sign>×</Sign>
      <Term value={plain(charge.groupRatio)} caption={t('charge.groupRatio', { group: row.group })} />
      {charge.factors.map(({ name, value }) => (
        <span key={name} className={classes.joined}>
          <Sign>×</Sign>
          <Term value={plain(value)} caption={t(`charge.factor.${name}`)} />
        </span>
      ))}
      {isTokens ? (
        <>
          <Sign>÷</Sign>
          <Term value={renderNumber(charge.quotaPerUnit).replace('.0', '')} caption={t('charge.perUnit')} />
        </>
      ) : null}
      {charge.surcharges.map((surcharge) => (
        <span key={surcharge.name} className={classes.joined}>
          <Sign>+</Sign>
          <Term
            value={`${groupDigits(surcharge.count)} × ${moneyText(surcharge.dollarsEach)} × ${plain(charge.callRatio)}`}
            caption={surcharge.name}
          />
        </span>
      ))}
      <Result charge={charge} />
    </div>
  );
}

/** = the charge, and who paid which part of it. */
export function Result({ charge }: { charge: Charge }) {
  const { t } = useTranslation('logs');
  return (
    <>
      <span className={`${classes.joined} ${classes.result}`}>
        <Sign>=</Sign>
        <Term
          value={quotaMoney(charge, charge.quota)}
          caption={t('charge.quota', { quota: groupDigits(charge.quota) })}
          colour="var(--text-1)"
        />
      </span>
      {charge.parts ? <Payers charge={charge} parts={charge.parts} /> : null}
    </>
  );
}

export function usePlanCaption() {
  const { t } = useTranslation('logs');
  return ({ plan, planName: name, subscription: id }: PaidParts): string => {
    const quota = groupDigits(plan);
    return name === '' ? t('charge.planGone', { id, quota }) : t('charge.plan', { name, quota });
  };
}

/** How the charge is divided: = what the subscription paid + what the balance paid, if it did. */
function Payers({ charge, parts }: { charge: Charge; parts: PaidParts }) {
  const { t } = useTranslation('logs');
  const planCaption = usePlanCaption();
  const money = (quota: number) => quotaMoney(charge, quota);
  return (
    <span className={classes.joined}>
      <Sign>=</Sign>
      <Term value={money(parts.plan)} caption={planCaption(parts)} colour="var(--chart-1)" />
      {parts.wallet === 0 ? null : (
        <>
          <Sign>+</Sign>
          <Term
            value={money(parts.wallet)}
            caption={t('charge.wallet', { quota: groupDigits(parts.wallet) })}
            colour="var(--chart-2)"
          />
        </>
      )}
    </span>
  );
}

/** The parts of the charge, in proportion. */
export function Breakdown({ charge }: { charge: Charge }) {
  const { t } = useTranslation('logs');
  const total = charge.terms.reduce((sum, { money }) => sum + money, 0);
  if (total <= 0) return null;
  return (
    <>
      <div className={classes.breakdown} role="img" aria-label={t('charge.breakdown')}>
        {charge.terms.map(({ name, money }) => (
          <span key={name} style={{ flexGrow: money / total, background: COLOURS[name] }} />
        ))}
      </div>
      <ul className={`flex caption ${classes.legend}`}>
        {charge.terms.map(({ name, money }) => (
          <li key={name}>
            <i style={{ background: COLOURS[name] }} aria-hidden />
            {t(`charge.name.${name}`)} {moneyText(money)}
          </li>
        ))}
      </ul>
    </>
  );
}

/** One sentence about the largest part of the charge. */
export function Explanation({ charge }: { charge: Charge }) {
  const { t } = useTranslation('logs');
  const note = chargeNote(charge);
  const largest = largestPart(charge);
  const isFree = charge.quota === 0 && charge.computedQuota === 0;
  return (
    <p className="top8 caption">
      {isFree ? t('charge.free') : null}
      {largest && !isFree
        ? t('charge.largest', {
            percent: largest.percent,
            name: t(`charge.name.${largest.name}`).toLowerCase(),
          })
        : null}
      {charge.cacheSaving > 0 && !isFree ? (
        <> {t('charge.saved', { amount: moneyText(charge.cacheSaving) })}</>
      ) : null}
      <Rounding charge={charge} />
      {note === 'short' ? <> {t('charge.short', { quota: groupDigits(charge.computedQuota) })}</> : null}
      {note === 'minimum' ? <> {t('charge.minimum')}</> : null}
      {note === 'least' ? <> {t('charge.least', { quota: groupDigits(charge.minimumQuota) })}</> : null}
      {charge.tier ? <> {t('charge.tier', { tokens: groupDigits(charge.tier.above) })}</> : null}
    </p>
  );
}

/** What was rounded, where something was. */
export function Rounding({ charge }: { charge: Charge }) {
  const { t } = useTranslation('logs');
  const { sum, isRounded, priceDigits } = printedCharge(charge);
  return (
    <>
      {priceDigits === undefined ? null : <> {t('charge.priceDigits', { digits: priceDigits })}</>}
      {isRounded ? <> {t('charge.rounded', { sum, unit: quotaMoney(charge, 1) })}</> : null}
    </>
  );
}

/** Rows of other gateways may hold any text. */
const sourceName = (source: string) =>
  (['operator', 'list', 'unknown'] as const).find((known) => known === source) ?? 'other';

export function ChargeTags({ row, details }: { row: LogView; details: LogDetails }) {
  const { t } = useTranslation('logs');
  const { priceSource: source, priceVersion: version } = details;
  return (
    <>
      {source ? <Tag>{t(`charge.source.${sourceName(source)}`, { source })}</Tag> : null}
      {version > 0 ? <Tag>{t('charge.version', { version })}</Tag> : null}
      <Tag>{row.estimated ? t('charge.estimated') : t('charge.exact')}</Tag>
    </>
  );
}
