/** @jsxImportSource hono/jsx */
// Parts of a model's page: facts, price by group, endpoints, alternatives.
import type { MeasuredFigures } from '#contract/admin/measured.ts';
import type { Text } from '#contract/language.ts';
import type { PublicCatalogue, PublicModel, PublicPrice } from '#server/admin/public-model.ts';
import { amount, digitsOf, percent, short } from '#server/admin/public-pages/format.ts';
import { linkTo, type Asked } from '#server/admin/public-pages/page.ts';
import { Figure } from '#server/admin/public-pages/parts.tsx';
import { ContextCell, MeasuredCells, ModelName, pathOfModel, PriceCells, priceDecimals } from './cells.tsx';
import { monthOf, type Usage } from './usage.ts';
import { kindName, MODALITIES, WORDS } from './words.ts';

export function Facts({ model, asked }: { model: PublicModel; asked: Asked }) {
  const { language } = asked;
  const modality = MODALITIES[model.kind];
  const facts = [
    ...(model.vendor ? [[WORDS.vendor[language], model.vendor] as const] : []),
    [WORDS.kind[language], kindName(model.kind, language)] as const,
    ...(model.context > 0
      ? [[WORDS.context[language], `${short(model.context)} ${WORDS.tokens[language]}`] as const]
      : []),
    ...(model.maxOutput > 0
      ? [[WORDS.largest[language], `${short(model.maxOutput)} ${WORDS.tokens[language]}`] as const]
      : []),
    ...(modality === undefined
      ? []
      : [
          [WORDS.reads[language], modality.reads[language]] as const,
          [WORDS.writes[language], modality.writes[language]] as const,
        ]),
  ];
  return (
    <dl class="facts">
      {facts.map(([name, value]) => (
        <div>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

const NOTES = {
  input: { zh: '一页文字约 700 token', en: 'a page of text is about 700 tokens' },
  output: { zh: '思考按输出计', en: 'reasoning counts as output' },
  ofInput: { zh: '为输入价的', en: 'of the input' },
} satisfies Record<string, Text>;

function Price({ label, value, note }: { label: string; value: number; note?: string }) {
  return (
    <Figure
      label={label}
      value={
        <>
          <span class="sign">$</span>
          {digitsOf(value)}
        </>
      }
      {...(note === undefined ? {} : { note })}
    />
  );
}

export function PriceCellsOf({ price, asked }: { price: PublicPrice; asked: Asked }) {
  const { language } = asked;
  if (price.kind !== 'usage')
    return (
      <div class="cells">
        <Price
          label={(price.kind === 'call' ? WORDS.perCall : WORDS.perSecond)[language]}
          value={price.price}
        />
        {Object.entries(price.resolutions).map(([resolution, value]) => (
          <Price label={resolution} value={value} />
        ))}
      </div>
    );
  const share = (value: number) =>
    language === 'zh'
      ? `${NOTES.ofInput.zh} ${percent(value / price.input, 0)}%`
      : `${percent(value / price.input, 0)}% ${NOTES.ofInput.en}`;
  const isRelative = price.input > 0;
  const extra = [
    [WORDS.cached, price.cached],
    [WORDS.cacheWrite, price.cacheWrite],
    [WORDS.cacheWrite1h, price.cacheWrite1h],
  ] as const;
  return (
    <div class="cells">
      <Price label={WORDS.input[language]} value={price.input} note={NOTES.input[language]} />
      <Price label={WORDS.output[language]} value={price.output} note={NOTES.output[language]} />
      {extra
        // The price of the input is no news.
        .filter(([, value]) => value !== price.input)
        .map(([name, value]) => (
          <Price label={name[language]} value={value} {...(isRelative ? { note: share(value) } : {})} />
        ))}
    </div>
  );
}

interface GroupProps {
  asked: Asked;
  model: PublicModel;
  catalogue: PublicCatalogue;
  group: string;
}

export function GroupSwitch({ asked, model, catalogue, group }: GroupProps) {
  const groups = catalogue.groups.filter(({ name }) => model.prices[name] !== undefined);
  if (groups.length < 2) return null;
  return (
    <span class="segments" role="group" aria-label={WORDS.group[asked.language]}>
      {groups.map(({ name, ratio, description }) => (
        <a
          href={linkTo(asked, `${pathOfModel(model.name)}?group=${encodeURIComponent(name)}#price`)}
          aria-current={name === group ? 'true' : undefined}
          title={description[asked.language]}
          rel="nofollow"
        >
          {name} {ratio}×
        </a>
      ))}
    </span>
  );
}

const FOR: Record<string, string> = {
  '/v1/chat/completions': 'OpenAI SDK, Cursor, Cline, Cherry Studio, aider',
  '/v1/responses': 'OpenAI SDK, Codex',
  '/v1/messages': 'Anthropic SDK, Claude Code',
  '/v1beta/models/{model}:generateContent': 'Google Gen AI SDK, Gemini CLI',
};

/** A chat model answers in all four dialects: the gateway translates. */
function pathsOf({ endpoints }: PublicModel): readonly string[] {
  if (!endpoints.includes('/v1/chat/completions')) return endpoints;
  return ['/v1/chat/completions', '/v1/responses', '/v1/messages', '/v1beta/models/{model}:generateContent'];
}

export function Endpoints({ model, asked }: { model: PublicModel; asked: Asked }) {
  const { language } = asked;
  return (
    <table class="paths">
      <thead>
        <tr>
          <th scope="col">{WORDS.path[language]}</th>
          <th scope="col">{WORDS.spokenBy[language]}</th>
        </tr>
      </thead>
      <tbody>
        {pathsOf(model).map((path) => (
          <tr>
            <td>
              <code>{path.replace('{model}', model.name)}</code>
            </td>
            <td class="soft">{FOR[path] ?? 'HTTP'}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

interface AlternativesProps extends GroupProps {
  others: readonly PublicModel[];
  usage: Usage;
  measured: ReadonlyMap<string, MeasuredFigures> | undefined;
}

export function Alternatives({ asked, model, others, group, usage, measured }: AlternativesProps) {
  const { language } = asked;
  const all = [model, ...others];
  const months = all.map(({ prices }) => (prices[group] === undefined ? 0 : monthOf(prices[group], usage)));
  const most = Math.max(...months, 1e-9);
  const decimals = priceDecimals(all.map(({ prices }) => prices[group]));
  return (
    <div class="scroll">
      <table class="models">
        <thead>
          <tr>
            <th scope="col">{WORDS.model[language]}</th>
            <th scope="col" class="number">
              {WORDS.context[language]}
            </th>
            <th scope="col" class="number">
              {WORDS.input[language]}
            </th>
            <th scope="col" class="number wide-only">
              {WORDS.cached[language]}
            </th>
            <th scope="col" class="number">
              {WORDS.output[language]}
            </th>
            {measured === undefined ? null : (
              <>
                <th scope="col" class="number">
                  {WORDS.firstToken[language]}
                </th>
                <th scope="col" class="number">
                  {WORDS.speed[language]}
                </th>
                <th scope="col" class="number">
                  {WORDS.answered[language]}
                </th>
              </>
            )}
            <th scope="col" class="number" colspan={2}>
              {WORDS.yourMonth[language]}
            </th>
          </tr>
        </thead>
        <tbody>
          {all.map((each, index) => (
            <tr aria-current={index === 0 ? 'true' : undefined}>
              <ModelName
                asked={asked}
                model={each}
                {...(index === 0 ? { note: WORDS.thisOne[language] } : {})}
              />
              <ContextCell tokens={each.context} language={language} />
              <PriceCells price={each.prices[group]} decimals={decimals} language={language} />
              {measured === undefined ? null : (
                <MeasuredCells figures={measured.get(each.name)} language={language} />
              )}
              <td class="number wide-only">
                <svg class="month-bar" viewBox="0 0 100 4" preserveAspectRatio="none" aria-hidden="true">
                  <rect class="post-none" width="100" height="4" />
                  <rect class="post-now" width={((months[index] ?? 0) / most) * 100} height="4" />
                </svg>
              </td>
              <td class="number" data-label={WORDS.yourMonth[language]}>
                <b data-month={index}>{amount(months[index] ?? 0)}</b>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
