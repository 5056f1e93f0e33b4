// What the page of a model shows, and the sentence that describes it.
import type { Measured, MeasuredFigures, Outcome } from '#contract/admin/measured.ts';
import type { PublicCatalogue, PublicModel } from '#server/admin/public-model.ts';
import { digitsOf, short } from '#server/admin/public-pages/format.ts';
import type { Asked } from '#server/admin/public-pages/page.ts';
import type { Step } from './history.tsx';
import type { Usage } from './usage.ts';
import { kindName, WORDS } from './words.ts';

export interface Shown {
  readonly asked: Asked;
  readonly catalogue: PublicCatalogue;
  readonly model: PublicModel;
  readonly group: string;
  readonly usage: Usage;
  readonly others: readonly PublicModel[];
  /** Unix seconds. */
  readonly at: number;
  readonly steps: readonly Step[];
  readonly measured: ReadonlyMap<string, MeasuredFigures> | undefined;
  /** The last five minutes. */
  readonly now: Outcome | undefined;
  readonly spans: { day: Measured; month: Measured } | undefined;
}

function describeVirtual({ asked, model }: Pick<Shown, 'asked' | 'model'>): string {
  const { language, site } = asked;
  return language === 'zh'
    ? `${site.name} 提供 ${model.name}：${WORDS.virtualAnswered.zh}`
    : `${model.name} on ${site.name}: ${WORDS.virtualAnswered.en}`;
}

export function describeModel({ asked, model, group }: Pick<Shown, 'asked' | 'model' | 'group'>): string {
  const { language, site } = asked;
  const price = model.prices[group];
  if (price === undefined) return describeVirtual({ asked, model });
  const kind = kindName(model.kind, language);
  const context = model.context > 0 ? short(model.context) : '';
  if (language === 'zh') {
    const cost =
      price?.kind === 'usage'
        ? `每百万 token 输入 $${digitsOf(price.input)}、输出 $${digitsOf(price.output)}`
        : price && `${price.kind === 'call' ? '每次' : '每秒'} $${digitsOf(price.price)}`;
    return `${site.name} 提供 ${model.vendor} ${model.name}（${kind}${context && `，上下文 ${context}`}）：${cost ?? ''}。按量计费，兼容 OpenAI 与 Anthropic 接口。`;
  }
  const cost =
    price?.kind === 'usage'
      ? `$${digitsOf(price.input)} in and $${digitsOf(price.output)} out per million tokens`
      : price && `$${digitsOf(price.price)} ${price.kind === 'call' ? 'a call' : 'a second'}`;
  return `${model.name}${model.vendor && ` by ${model.vendor}`} on ${site.name}: ${kind.toLowerCase()}${context && `, ${context} tokens of context`}, ${cost ?? ''}. Billed by use, with OpenAI and Anthropic compatible APIs.`;
}
