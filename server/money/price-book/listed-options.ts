// A price of an outside list as options: ratios relative to the input, a fixed price, rules.
import type { ListedPrice } from '#contract/money/listed-price.ts';
import type { Prices } from '#contract/money/price-keys.ts';
import type { PriceRule, PriceTier } from '#contract/money/price-rules.ts';
import { DOLLARS_PER_MILLION } from '#contract/money/pricing.ts';
import { divideDecimals } from '#contract/money/decimal.ts';
import { builtInPrice } from '#server/money/prices/price-list/index.ts';
import type { ListPrice } from '#server/money/prices/price.ts';

type Mutable<Key extends keyof Prices> = { -readonly [Name in Key]: Prices[Name] };

/** The prices with those of the model replaced; undefined when they cannot be said in options. Classes that the list lacks stay. */
export function withListed(prices: Prices, listed: ListedPrice): Prices | undefined {
  const { model, input, perCall, perSecond } = listed;
  const fixed = perSecond ?? perCall;
  if (fixed !== undefined)
    return {
      ...prices,
      ModelPrice: { ...prices.ModelPrice, [model]: fixed },
      PriceUnit: { ...prices.PriceUnit, [model]: perSecond === undefined ? 'call' : 'second' },
    };
  // Ratios are relative to the input: a free input with a paid output cannot be said in them.
  if (input === undefined || (input === 0 && isPaid(listed))) return undefined;
  const next: Mutable<keyof Prices> = { ...prices };
  next.ModelPrice = without(prices.ModelPrice, model);
  next.ModelRatio = { ...prices.ModelRatio, [model]: divideDecimals(input, DOLLARS_PER_MILLION) };
  for (const [key, ratio] of Object.entries(classRatios(listed, audioRatioOf(prices, model))))
    if (ratio !== undefined) {
      const name = key as keyof ReturnType<typeof classRatios>;
      next[name] = { ...prices[name], [model]: ratio };
    }
  const rule = ruleFrom(prices.PriceRules[model], listed);
  if (rule !== undefined) next.PriceRules = { ...prices.PriceRules, [model]: rule };
  return next;
}

/** What a spoken prompt costs as a part of its text, where the list does not say it. */
function audioRatioOf({ AudioRatio }: Prices, model: string): number {
  const { input, audioIn }: ListPrice = builtInPrice(model) ?? {};
  return AudioRatio[model] ?? partOf(audioIn, input) ?? 1;
}

const partOf = (price: number | undefined, base: number | undefined): number | undefined =>
  price === undefined || base === undefined || base === 0 ? undefined : divideDecimals(price, base);

/** `audioRatio` is that of spoken prompts, to which spoken answers are relative, if the list has no price for them. */
function classRatios({ input, audioIn, ...listed }: ListedPrice, audioRatio: number) {
  const ofInput = (price: number | undefined) => partOf(price, input);
  return {
    CompletionRatio: ofInput(listed.output),
    CacheRatio: ofInput(listed.cacheRead),
    CreateCacheRatio: ofInput(listed.cacheWrite5m),
    CreateCache1hRatio: ofInput(listed.cacheWrite1h),
    ImageRatio: ofInput(listed.image),
    AudioRatio: ofInput(audioIn),
    AudioCompletionRatio: partOf(listed.audioOut, audioIn) ?? partOf(ofInput(listed.audioOut), audioRatio),
    ReasoningRatio: ofInput(listed.reasoning),
  };
}

function ruleFrom(rule: PriceRule | undefined, listed: ListedPrice): PriceRule | undefined {
  const { classes, search } = listed;
  const tiers = listed.tiers?.map((tier) => tierFactors(listed, tier));
  if (tiers === undefined && classes === undefined && search === undefined) return undefined;
  return {
    ...rule,
    ...(tiers === undefined ? {} : { tiers }),
    ...(classes === undefined ? {} : { classes: { ...rule?.classes, ...classes } }),
    ...(search === undefined ? {} : { search }),
  };
}

type ListedTier = NonNullable<ListedPrice['tiers']>[number];

function tierFactors(base: ListedPrice, tier: ListedTier): PriceTier {
  const factors = {
    input: partOf(tier.input, base.input),
    output: partOf(tier.output, base.output),
    cacheRead: partOf(tier.cacheRead, base.cacheRead),
    cacheWrite: partOf(tier.cacheWrite, base.cacheWrite5m),
  };
  const known = Object.entries(factors).filter(([, value]) => value !== undefined);
  return { above: tier.above, ...Object.fromEntries(known) };
}

const isPaid = (listed: ListedPrice): boolean =>
  Object.values(listed).some((value) => typeof value === 'number' && value > 0);

function without<Value>(entries: Readonly<Record<string, Value>>, name: string): Record<string, Value> {
  const next = { ...entries };
  Reflect.deleteProperty(next, name);
  return next;
}
