/** @jsxImportSource hono/jsx */
// /models: everything on sale, with search, facets and a comparison, all in the address.
import type { PublicModel } from '#server/admin/public-model.ts';
import type { PageFacts } from '#server/admin/public-pages/facts.ts';
import { digitsOf } from '#server/admin/public-pages/format.ts';
import { pageHtml } from '#server/admin/public-pages/layout.tsx';
import { addressIn, type PublicPage } from '#server/admin/public-pages/page.ts';
import { ContextCell, MeasuredCells, ModelName, PriceCells, priceDecimals } from './cells.tsx';
import { AsAnswered } from './virtual.tsx';
import { catalogueLink, choiceOf, counted, filtered, MOST_COMPARED, QUERY } from './choice.ts';
import { Comparison } from './comparison.tsx';
import { Facets, FilterForm } from './facets.tsx';
import { cheapestInput, measuredShown, type Listed } from './listed.ts';
import { kindName, WORDS } from './words.ts';

function CompareLink({ asked, choice, model }: Pick<Listed, 'asked' | 'choice'> & { model: PublicModel }) {
  const isCompared = choice.compare.includes(model.name);
  if (!isCompared && choice.compare.length >= MOST_COMPARED) return null;
  const compare = isCompared
    ? choice.compare.filter((name) => name !== model.name)
    : [...choice.compare, model.name];
  return (
    <a
      href={catalogueLink(asked, choice, { compare })}
      rel="nofollow"
      aria-label={`${(isCompared ? WORDS.remove : WORDS.compare)[asked.language]} ${model.name}`}
    >
      {(isCompared ? WORDS.remove : WORDS.compare)[asked.language]}
    </a>
  );
}

function ModelTable({ asked, choice, measured, models }: Listed & { models: readonly PublicModel[] }) {
  const { language } = asked;
  const decimals = priceDecimals(models.map(({ prices }) => prices[choice.group]));
  return (
    <div class="scroll">
      <table class="models" data-filtered>
        <thead>
          <tr>
            <th scope="col">{WORDS.model[language]}</th>
            <th scope="col" class="wide-only">
              {WORDS.kind[language]}
            </th>
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
            <th scope="col">
              <span class="hidden">{WORDS.compare[language]}</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {models.map((model) => (
            <tr data-text={`${model.name} ${model.vendor}`.toLowerCase()}>
              <ModelName
                asked={asked}
                model={model}
                {...(model.virtual === undefined ? {} : { note: WORDS.chooses[language] })}
              />
              <td class="soft wide-only">{kindName(model.kind, language)}</td>
              <ContextCell tokens={model.context} language={language} />
              {model.virtual?.basis === 'answered' ? (
                <AsAnswered language={language} />
              ) : (
                <PriceCells price={model.prices[choice.group]} decimals={decimals} language={language} />
              )}
              {measured === undefined ? null : (
                <MeasuredCells figures={measured.get(model.name)} language={language} />
              )}
              <td class="number">
                <CompareLink asked={asked} choice={choice} model={model} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function describe({ asked, catalogue }: Listed): string {
  const { site, language } = asked;
  const vendors = counted(catalogue.models, ({ vendor }) => vendor)
    .map(({ value }) => value)
    .filter(Boolean)
    .slice(0, 6)
    .join(language === 'zh' ? '、' : ', ');
  const from = cheapestInput(catalogue);
  const count = catalogue.models.length;
  return language === 'zh'
    ? `${site.name} 在售 ${count} 个模型${vendors && `：${vendors}`}。${from === undefined ? '' : `每百万输入 token 低至 $${digitsOf(from)}。`}按量计费，一个令牌调用全部。`
    : `${count} models on ${site.name}${vendors && `: ${vendors}`}. ${from === undefined ? '' : `From $${digitsOf(from)} per million input tokens. `}Billed by use, one API key for all.`;
}

function itemList({ asked, catalogue }: Listed): object {
  return {
    '@context': 'https://schema.org',
    '@type': 'ItemList',
    name: `${WORDS.title[asked.language]} · ${asked.site.name}`,
    numberOfItems: catalogue.models.length,
    itemListElement: catalogue.models.slice(0, 100).map(({ name }, index) => ({
      '@type': 'ListItem',
      position: index + 1,
      name,
      url: addressIn({ ...asked, path: `/models/${name}`, query: new URLSearchParams() }, asked.language),
    })),
  };
}

function Catalogue(listed: Listed) {
  const { asked, catalogue, choice } = listed;
  const { language } = asked;
  const shown = filtered(catalogue.models, choice);
  return (
    <>
      <div class="page-head">
        <h1>
          {WORDS.title[language]}
          <span class="state">
            <b data-count>{shown.length}</b> {WORDS.count[language]}
          </span>
        </h1>
        <p class="note">
          {WORDS.perMillion[language]}
          {listed.measured === undefined ? null : ` · ${WORDS.measuredSpan[language]}`}
        </p>
      </div>
      <FilterForm {...listed} />
      <Comparison {...listed} />
      {shown.length === 0 ? (
        <p class="nothing">{(catalogue.models.length === 0 ? WORDS.noModels : WORDS.none)[language]}</p>
      ) : (
        <ModelTable {...listed} models={shown} />
      )}
    </>
  );
}

export function cataloguePage(facts: PageFacts): PublicPage {
  return {
    matches: (path) => path === '/models',
    query: QUERY,
    listed: (site) => (site.settings.PublicModelsEnabled ? ['/models'] : []),
    async render(asked) {
      if (!asked.site.settings.PublicModelsEnabled) return undefined;
      const catalogue = await facts.catalogue();
      const choice = choiceOf(asked, catalogue);
      const measured = measuredShown(asked) ? await facts.measuring?.modelsMeasured() : undefined;
      const listed: Listed = { asked, catalogue, choice, measured };
      const isWhole = asked.query.size === 0;
      return {
        body: pageHtml({
          asked,
          title: WORDS.title[asked.language],
          description: describe(listed),
          structured: isWhole ? itemList(listed) : undefined,
          // One list in many orders is one page for search engines.
          isHidden: !isWhole,
          current: 'models',
          side: <Facets {...listed} />,
          children: <Catalogue {...listed} />,
        }),
      };
    },
  };
}
