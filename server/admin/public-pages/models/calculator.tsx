/** @jsxImportSource hono/jsx */
// What a month of calls costs: a form whose answer the server computes, live with a script.
import type { Text } from '#contract/language.ts';
import type { PublicModel, PublicPrice } from '#server/admin/public-model.ts';
import { amount, dollars, grouped } from '#server/admin/public-pages/format.ts';
import type { Asked } from '#server/admin/public-pages/page.ts';
import { costOf, forScript, monthOf, type Usage } from './usage.ts';

const WORDS = {
  calls: { zh: '每天调用', en: 'Calls a day' },
  input: { zh: '每次输入', en: 'Input each' },
  cached: { zh: '其中来自缓存', en: 'From cache' },
  output: { zh: '每次输出', en: 'Output each' },
  tokens: { zh: 'token', en: 'tokens' },
  compute: { zh: '计算', en: 'Compute' },
  fresh: { zh: '新输入', en: 'new input' },
  reads: { zh: '缓存', en: 'cached' },
  writes: { zh: '输出', en: 'output' },
  call: { zh: '每次', en: 'a call' },
  month: { zh: '每月（30 天），每天', en: 'a month of 30 days,' },
  day: { zh: '，不含缓存写入。', en: 'a day, not including cache writes.' },
  dayPlain: { zh: '。', en: 'a day.' },
} satisfies Record<string, Text>;

interface CalculatorProps {
  asked: Asked;
  price: PublicPrice;
  usage: Usage;
  group: string;
  alternatives: readonly PublicModel[];
}

function Field({ name, label, value, unit }: { name: string; label: string; value: number; unit?: string }) {
  return (
    <label class="field">
      {label}
      {unit === undefined ? null : <span class="unit"> {unit}</span>}
      <input name={name} inputmode="numeric" value={grouped(String(value))} />
    </label>
  );
}

const PARTS = ['fresh', 'reads', 'writes'] as const;
const CLASS_OF = { fresh: 'input', reads: 'cached', writes: 'output' } as const;

function Equation({
  asked,
  price,
  usage,
}: Pick<CalculatorProps, 'asked' | 'usage'> & { price: PublicPrice & { kind: 'usage' } }) {
  const { language } = asked;
  const cost = costOf(price, usage);
  const widths = PARTS.map((part) => (cost.call === 0 ? 0 : (cost.parts[part] / cost.call) * 100));
  const startOf = (index: number) => widths.slice(0, index).reduce((sum, width) => sum + width, 0);
  return (
    <>
      <p class="equation">
        {PARTS.map((part, index) => (
          <>
            {index === 0 ? null : <span class="muted"> + </span>}
            <span class={`term term-${part}`}>
              <span>
                <b data-result={part}>{grouped(String(cost[part]))}</b> × {dollars(price[CLASS_OF[part]])}/M
              </span>
              <small>{WORDS[part][language]}</small>
            </span>
          </>
        ))}
        <span class="muted"> = </span>
        <span class="term">
          <b data-result="call">{amount(cost.call)}</b>
          <small>{WORDS.call[language]}</small>
        </span>
      </p>
      <svg class="parts-bar" viewBox="0 0 100 6" preserveAspectRatio="none" aria-hidden="true">
        {PARTS.map((part, index) => (
          <rect
            class={`bar-${part}`}
            data-part={part}
            x={startOf(index)}
            y="0"
            width={widths[index]}
            height="6"
          />
        ))}
      </svg>
    </>
  );
}

export function Calculator({ asked, price, usage, group, alternatives }: CalculatorProps) {
  const { language } = asked;
  const isUsage = price.kind === 'usage';
  const { call } = costOf(price, usage);
  const prices = [price, ...alternatives.map(({ prices: all }) => all[group])].map(forScript);
  return (
    <form class="calculator" action="#calculator" data-calculator={JSON.stringify(prices)}>
      {asked.isLanguageNamed ? <input type="hidden" name="lang" value={language} /> : null}
      {asked.query.has('group') ? <input type="hidden" name="group" value={group} /> : null}
      <div class="calculator-fields">
        <Field name="calls" label={WORDS.calls[language]} value={usage.calls} />
        {isUsage ? (
          <>
            <Field
              name="input"
              label={WORDS.input[language]}
              value={usage.input}
              unit={WORDS.tokens[language]}
            />
            <Field name="cached" label={WORDS.cached[language]} value={usage.cached} unit="%" />
            <Field
              name="output"
              label={WORDS.output[language]}
              value={usage.output}
              unit={WORDS.tokens[language]}
            />
          </>
        ) : null}
        <button class="button no-script-only" type="submit">
          {WORDS.compute[language]}
        </button>
      </div>
      {isUsage ? <Equation asked={asked} price={price} usage={usage} /> : null}
      <p>
        <b class="figure" data-result="month">
          {amount(monthOf(price, usage))}
        </b>{' '}
        <span class="note">
          {WORDS.month[language]} <span data-result="day">{amount(call * usage.calls)}</span>
          {language === 'en' ? ' ' : ''}
          {(isUsage ? WORDS.day : WORDS.dayPlain)[language]}
        </span>
      </p>
    </form>
  );
}
