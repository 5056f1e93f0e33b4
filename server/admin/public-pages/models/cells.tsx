/** @jsxImportSource hono/jsx */
// Cells that the tables of models share: name, prices, measured figures.
import type { Language } from '#contract/language.ts';
import type { MeasuredFigures } from '#contract/admin/measured.ts';
import type { PublicModel, PublicPrice } from '#server/admin/public-model.ts';
import { decimalsOf, digitsOf, percent, short } from '#server/admin/public-pages/format.ts';
import { encodePath, linkTo, type Asked } from '#server/admin/public-pages/page.ts';
import { Monogram, Nothing } from '#server/admin/public-pages/parts.tsx';
import { WORDS } from './words.ts';

export const pathOfModel = (name: string): string => `/models/${encodePath(name)}`;

export function ModelName({ asked, model, note }: { asked: Asked; model: PublicModel; note?: string }) {
  return (
    <th scope="row" class="nowrap">
      <Monogram name={model.vendor || model.name} />
      <a class="model-link" href={linkTo(asked, pathOfModel(model.name))}>
        {model.name}
      </a>
      {note === undefined ? null : <span class="note"> {note}</span>}
    </th>
  );
}

/** Leading sign dimmed, so that a column reads by its digits; their points stand below each other with `decimals` of the column. */
export function Dollars({ value, decimals = 0 }: { value: number; decimals?: number }) {
  const missing = decimals - decimalsOf([value]);
  return (
    <>
      <span class="muted">$</span>
      {missing > 0 ? (
        <span class="padded" style={{ '--missing': `${missing}ch` }}>
          {digitsOf(value)}
        </span>
      ) : (
        digitsOf(value)
      )}
    </>
  );
}

type UsageClass = 'input' | 'cached' | 'output';
export type PriceDecimals = Readonly<Record<UsageClass, number>>;

/** The decimals of the three columns of a table with these prices. */
export function priceDecimals(prices: readonly (PublicPrice | undefined)[]): PriceDecimals {
  const usage = prices.filter((price) => price?.kind === 'usage');
  const of = (name: UsageClass) => decimalsOf(usage.map((price) => price[name]));
  return { input: of('input'), cached: of('cached'), output: of('output') };
}

interface PriceCellsProps {
  price: PublicPrice | undefined;
  decimals: PriceDecimals;
  language: Language;
}

/** A price of one class; models sold by the call have one price, in the last column. */
export function PriceCells({ price, decimals, language }: PriceCellsProps) {
  const nothing = <Nothing label={WORDS.unknown[language]} />;
  if (price?.kind === 'usage')
    return (['input', 'cached', 'output'] satisfies UsageClass[]).map((name) => (
      <td class={name === 'cached' ? 'number wide-only' : 'number'} data-label={WORDS[name][language]}>
        <Dollars value={price[name]} decimals={decimals[name]} />
      </td>
    ));
  return (
    <>
      <td class="number unmeasured">{nothing}</td>
      <td class="number wide-only">{nothing}</td>
      <td class="number" data-label={WORDS.price[language]}>
        {price === undefined ? (
          nothing
        ) : (
          <>
            <Dollars value={price.price} />{' '}
            <span class="unit">{(price.kind === 'call' ? WORDS.perCall : WORDS.perSecond)[language]}</span>
          </>
        )}
      </td>
    </>
  );
}

export const seconds = (milliseconds: number): string => (milliseconds / 1000).toFixed(2);

/** Good is quiet: only a share below 99 % has a colour. */
export function Share({ share }: { share: number }) {
  const tone = share < 0.95 ? 'tone-danger' : share < 0.99 ? 'tone-warning' : '';
  return (
    <span class={tone}>
      {share === 1 ? '100' : percent(share, 2)}
      <span class="unit">%</span>
    </span>
  );
}

export function MeasuredCells({
  figures,
  language,
}: {
  figures: MeasuredFigures | undefined;
  language: Language;
}) {
  const few = <Nothing label={WORDS.fewCalls[language]} />;
  const { firstToken, speed, share } = figures ?? {};
  // A card of the phone leaves out three dashes.
  const isEmpty = firstToken === undefined && speed === undefined && share === undefined;
  const kind = isEmpty ? 'number unmeasured' : 'number';
  return (
    <>
      <td class={kind} data-label={WORDS.firstToken[language]}>
        {firstToken === undefined ? (
          few
        ) : (
          <>
            {seconds(firstToken.median)}
            <span class="unit"> s</span>
          </>
        )}
      </td>
      <td class={kind} data-label={WORDS.speed[language]}>
        {speed === undefined ? (
          few
        ) : (
          <>
            {Math.round(speed.median)}
            <span class="unit"> tok/s</span>
          </>
        )}
      </td>
      <td class={kind} data-label={WORDS.answered[language]}>
        {share === undefined ? few : <Share share={share} />}
      </td>
    </>
  );
}

export function ContextCell({ tokens, language }: { tokens: number; language: Language }) {
  return (
    <td class="number" data-label={WORDS.context[language]}>
      {tokens > 0 ? short(tokens) : <Nothing label={WORDS.unknown[language]} />}
    </td>
  );
}
