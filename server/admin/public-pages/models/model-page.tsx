/** @jsxImportSource hono/jsx */
// /models/<name>: what a model costs, how it went here, what it cost before, what a month costs, and how to call it.
import type { Text } from '#contract/language.ts';
import { unixSeconds } from '#contract/time.ts';
import type { PublicCatalogue, PublicModel } from '#server/admin/public-model.ts';
import type { PriceSnapshot } from '#server/money/prices/price.ts';
import type { PageFacts } from '#server/admin/public-pages/facts.ts';
import { Icon } from '#server/admin/public-pages/icons.tsx';
import { pageHtml } from '#server/admin/public-pages/layout.tsx';
import { linkTo, type Asked, type PublicPage } from '#server/admin/public-pages/page.ts';
import { CodeTabs, CopyButton, Monogram, Sheet } from '#server/admin/public-pages/parts.tsx';
import { Calculator } from './calculator.tsx';
import { PriceHistory, stepsOf } from './history.tsx';
import { measuredShown } from './listed.ts';
import { basisOf, MeasuredSheet, StateNow } from './measured.tsx';
import { missingModel } from './missing-model.tsx';
import { Alternatives, Endpoints, Facts, GroupSwitch, PriceCellsOf } from './model-parts.tsx';
import { samplesOf } from './samples.ts';
import { describeModel, type Shown } from './shown.ts';
import { structuredModel } from './structured-model.ts';
import { VirtualTargets } from './virtual.tsx';
import { alternativesOf, USAGE_QUERY, usageOf } from './usage.ts';
import { kindName, WORDS } from './words.ts';

const PREFIX = '/models/';
const NAME: Text = { zh: '复制模型名称', en: 'Copy the name' };

/** The price per group differs by a factor only, so the history is that of the chosen group. */
const lineOf = (price: PriceSnapshot): { main: number; second: number | undefined } => {
  const exact = (value: number) => Number(value.toPrecision(12));
  if (price.kind === 'price') return { main: exact(price.modelPrice * price.groupRatio), second: undefined };
  const input = price.modelRatio * 2 * price.groupRatio;
  return { main: exact(input * price.completionRatio), second: exact(input) };
};

const SECTIONS = {
  targets: WORDS.targets,
  price: WORDS.price,
  measured: WORDS.measured,
  history: WORDS.history,
  calculator: WORDS.calculator,
  endpoints: WORDS.endpoints,
  alternatives: WORDS.alternatives,
} satisfies Record<string, Text>;

function sectionsOf({ model, group, steps, spans, others }: Shown): (readonly [string, Text])[] {
  const hasPrice = model.prices[group] !== undefined;
  return Object.entries(SECTIONS).filter(
    ([id]) =>
      (id !== 'targets' || model.virtual !== undefined) &&
      ((id !== 'price' && id !== 'calculator') || hasPrice) &&
      (id !== 'measured' || spans !== undefined) &&
      (id !== 'history' || steps.length > 0) &&
      (id !== 'alternatives' || others.length > 0),
  );
}

function Title({ asked, model, now }: Shown) {
  const { language } = asked;
  const compare = linkTo(asked, `/models?compare=${encodeURIComponent(model.name)}`);
  return (
    <div class="page-head">
      <p class="crumbs">
        <a href={linkTo(asked, '/models')}>{WORDS.title[language]}</a>
        {model.vendor === '' ? null : (
          <>
            {' / '}
            <a href={linkTo(asked, `/models?vendor=${encodeURIComponent(model.vendor)}`)}>{model.vendor}</a>
          </>
        )}
      </p>
      <div class="head-line">
        <h1>
          <Monogram name={model.vendor || model.name} />
          <span id="model-name">{model.name}</span>
          <CopyButton language={language} label={NAME} of="#model-name" />
          <StateNow now={now} language={language} />
        </h1>
        <div class="actions">
          <a class="button" href={compare} rel="nofollow">
            <Icon name="compare" />
            {WORDS.compare[language]}
          </a>
          <a class="button filled visitor-only" href="/register">
            {WORDS.getKey[language]}
          </a>
          <a class="button filled user-only" href={`/playground?model=${encodeURIComponent(model.name)}`}>
            {WORDS.tryIt[language]}
          </a>
        </div>
      </div>
    </div>
  );
}

function EndpointSheet({ asked, model }: Shown) {
  const { language, site } = asked;
  return (
    <div class="halves" id="endpoints">
      <Sheet title={WORDS.endpoints[language]}>
        <Endpoints model={model} asked={asked} />
      </Sheet>
      <div class="code-place">
        <CodeTabs
          id="sample"
          language={language}
          label={WORDS.sample}
          copyLabel={WORDS.copySample}
          samples={samplesOf(model, site.address)}
        />
      </div>
    </div>
  );
}

/** A virtual model without a price of its own. */
function AnsweredContent(shown: Shown) {
  return (
    <>
      <Title {...shown} />
      <Facts {...shown} />
      <VirtualTargets {...shown} />
      <EndpointSheet {...shown} />
    </>
  );
}

function Content(shown: Shown) {
  const { asked, catalogue, model, group, usage, others, steps, spans } = shown;
  const { language, site } = asked;
  const zone = site.settings.SiteTimeZone;
  const price = model.prices[group];
  if (price === undefined) return model.virtual === undefined ? null : <AnsweredContent {...shown} />;
  const perMillion = price.kind === 'usage' ? WORDS.perMillion[language] : '';
  const groupNote = group === catalogue.groups[0]?.name ? perMillion : `${group} · ${perMillion}`;
  const comparison = [model, ...others].map(({ name }) => encodeURIComponent(name)).join(',');
  return (
    <>
      <Title {...shown} />
      <Facts model={model} asked={asked} />
      <VirtualTargets {...shown} />
      <Sheet
        id="price"
        title={WORDS.price[language]}
        note={groupNote}
        end={<GroupSwitch asked={asked} model={model} catalogue={catalogue} group={group} />}
      >
        <PriceCellsOf price={price} asked={asked} />
        {model.hasRules ? <p class="note below">{WORDS.rules[language]}</p> : null}
      </Sheet>
      {spans === undefined ? null : (
        <Sheet id="measured" title={WORDS.measured[language]} note={basisOf({ ...spans, language, zone })}>
          <MeasuredSheet {...spans} language={language} zone={zone} />
        </Sheet>
      )}
      <div class="halves">
        {steps.length === 0 ? null : (
          <Sheet id="history" title={WORDS.history[language]} note={groupNote}>
            <PriceHistory steps={steps} now={shown.at} language={language} zone={zone} />
          </Sheet>
        )}
        <Sheet id="calculator" title={WORDS.calculator[language]} note={group}>
          <Calculator asked={asked} price={price} usage={usage} group={group} alternatives={others} />
        </Sheet>
      </div>
      <EndpointSheet {...shown} />
      {others.length === 0 ? null : (
        <Sheet
          id="alternatives"
          title={WORDS.alternatives[language]}
          note={kindName(model.kind, language)}
          end={
            <a href={linkTo(asked, `/models?compare=${comparison}`)} rel="nofollow">
              {WORDS.compareAll[language]}
            </a>
          }
        >
          <Alternatives {...shown} />
        </Sheet>
      )}
    </>
  );
}

async function readShown(
  facts: PageFacts,
  asked: Asked,
  catalogue: PublicCatalogue,
  model: PublicModel,
): Promise<Shown> {
  const { settings } = asked.site;
  const wanted = asked.query.get('group') ?? '';
  const group = model.prices[wanted] === undefined ? (Object.keys(model.prices)[0] ?? '') : wanted;
  const isOwn = model.virtual?.basis !== 'answered';
  // Calls are measured by the name that they were priced as.
  const measuring = measuredShown(asked) && isOwn ? facts.measuring : undefined;
  const [points, measured, now, day, month] = await Promise.all([
    isOwn ? facts.history(model.name, group, settings.priceVersion) : [],
    measuring?.modelsMeasured(),
    measuring?.now(),
    measuring?.measuredOf(model.name, '24h'),
    measuring?.measuredOf(model.name, '30d'),
  ]);
  return {
    asked,
    catalogue,
    model,
    group,
    usage: usageOf(asked.query),
    others: isOwn ? alternativesOf(model, catalogue.models, group) : [],
    at: unixSeconds(),
    steps: stepsOf(points, lineOf),
    measured,
    now: now?.get(model.name),
    spans: day === undefined || month === undefined ? undefined : { day, month },
  };
}

export function modelPage(facts: PageFacts): PublicPage {
  return {
    matches: (path) => path.startsWith(PREFIX) && path.length > PREFIX.length,
    query: USAGE_QUERY,
    async listed(site) {
      if (!site.settings.PublicModelsEnabled) return [];
      const { models } = await facts.catalogue();
      return models.map(({ name }) => `${PREFIX}${name}`);
    },
    async render(asked) {
      if (!asked.site.settings.PublicModelsEnabled) return undefined;
      const catalogue = await facts.catalogue();
      const name = asked.path.slice(PREFIX.length);
      const model = catalogue.models.find((each) => each.name === name);
      if (model === undefined) return missingModel(asked, catalogue, name);
      const shown = await readShown(facts, asked, catalogue, model);
      return {
        body: pageHtml({
          asked,
          title: model.name,
          description: describeModel(shown),
          structured: structuredModel(shown),
          current: 'models',
          sections: sectionsOf(shown),
          aside: (
            <p>
              {WORDS.baseAddress[asked.language]}
              <br />
              <code>{asked.site.address}/v1</code>
            </p>
          ),
          children: <Content {...shown} />,
        }),
      };
    },
  };
}
