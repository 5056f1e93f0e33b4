/** @jsxImportSource hono/jsx */
// The models of the first page: some of each vendor, with price and measured figures.
import type { PublicCatalogue, PublicModel } from '#server/admin/public-model.ts';
import {
  ContextCell,
  MeasuredCells,
  ModelName,
  PriceCells,
  priceDecimals,
} from '#server/admin/public-pages/models/cells.tsx';
import { AsAnswered } from '#server/admin/public-pages/models/virtual.tsx';
import { WORDS as MODEL_WORDS } from '#server/admin/public-pages/models/words.ts';
import { linkTo } from '#server/admin/public-pages/page.ts';
import { Sheet } from '#server/admin/public-pages/parts.tsx';
import type { HomeFacts } from './home-parts.tsx';
import { WORDS } from './words.ts';

const MOST_MODELS = 12;

/** The newest of each vendor in turn, so that one vendor does not fill the page. */
function shownModels({ models }: PublicCatalogue) {
  const byVendor = Map.groupBy(models, ({ vendor, name }) => vendor || name);
  const shown = [];
  for (
    let round = 0;
    shown.length < Math.min(MOST_MODELS, models.length) && round < models.length;
    round += 1
  )
    for (const own of byVendor.values()) if (own[round] !== undefined) shown.push(own[round]);
  return shown.flatMap((model) => model ?? []).slice(0, MOST_MODELS);
}

export function ModelsOnSale({ asked, catalogue, measured }: HomeFacts) {
  const { language } = asked;
  if (catalogue === undefined || catalogue.models.length === 0) return null;
  const group = catalogue.groups[0]?.name ?? '';
  const words = MODEL_WORDS;
  const shown = shownModels(catalogue);
  const priceOf = ({ prices }: PublicModel) => prices[group] ?? Object.values(prices)[0];
  const decimals = priceDecimals(shown.map(priceOf));
  return (
    <Sheet
      id="models"
      title={WORDS.models[language]}
      note={words.perMillion[language]}
      end={<a href={linkTo(asked, '/models')}>{WORDS.allModels[language]}</a>}
    >
      <div class="scroll">
        <table class="models">
          <thead>
            <tr>
              <th scope="col">{words.model[language]}</th>
              {(['context', 'input', 'cached', 'output'] as const).map((name) => (
                <th scope="col" class={name === 'cached' ? 'number wide-only' : 'number'}>
                  {words[name][language]}
                </th>
              ))}
              {measured === undefined
                ? null
                : (['firstToken', 'speed', 'answered'] as const).map((name) => (
                    <th scope="col" class="number">
                      {words[name][language]}
                    </th>
                  ))}
            </tr>
          </thead>
          <tbody>
            {shown.map((model) => (
              <tr>
                <ModelName
                  asked={asked}
                  model={model}
                  {...(model.virtual === undefined ? {} : { note: words.chooses[language] })}
                />
                <ContextCell tokens={model.context} language={language} />
                {model.virtual?.basis === 'answered' ? (
                  <AsAnswered language={language} />
                ) : (
                  <PriceCells price={priceOf(model)} decimals={decimals} language={language} />
                )}
                {measured === undefined ? null : (
                  <MeasuredCells figures={measured.get(model.name)} language={language} />
                )}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </Sheet>
  );
}
