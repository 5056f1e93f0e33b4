/** @jsxImportSource hono/jsx */
// What visitors read of a virtual model: that it chooses among models, which of them they could call themselves, and the prices.
import type { Language } from '#contract/language.ts';
import { Nothing, Sheet } from '#server/admin/public-pages/parts.tsx';
import { ContextCell, ModelName, PriceCells, priceDecimals } from './cells.tsx';
import type { Shown } from './shown.ts';
import { WORDS } from './words.ts';

/** In place of a price in the table. */
export function AsAnswered({ language }: { language: Language }) {
  const nothing = <Nothing label={WORDS.asAnswered[language]} />;
  return (
    <>
      <td class="number unmeasured">{nothing}</td>
      <td class="number wide-only">{nothing}</td>
      <td class="number" data-label={WORDS.price[language]}>
        <span class="note">{WORDS.asAnswered[language]}</span>
      </td>
    </>
  );
}

export function VirtualTargets({ asked, catalogue, model, group }: Shown) {
  const { language } = asked;
  const { virtual } = model;
  if (virtual === undefined) return null;
  const targets = virtual.targets.flatMap(
    (name) => catalogue.models.find((each) => each.name === name && each.virtual === undefined) ?? [],
  );
  // A call of the name is made in a group of its own choice, so the first group is as good as another.
  const shownIn = group === '' ? (catalogue.groups[0]?.name ?? '') : group;
  const decimals = priceDecimals(targets.map(({ prices }) => prices[shownIn]));
  return (
    <Sheet
      id="targets"
      title={WORDS.targets[language]}
      note={virtual.basis === 'answered' ? WORDS.perMillion[language] : ''}
    >
      <p class="note below">
        {(virtual.basis === 'answered' ? WORDS.virtualAnswered : WORDS.virtualOwn)[language]}
      </p>
      {targets.length === 0 ? null : (
        <div class="scroll">
          <table class="models">
            <thead>
              <tr>
                <th scope="col">{WORDS.model[language]}</th>
                <th scope="col" class="number">
                  {WORDS.context[language]}
                </th>
                {virtual.basis === 'own'
                  ? null
                  : [WORDS.input, WORDS.cached, WORDS.output].map((word) => (
                      <th scope="col" class={word === WORDS.cached ? 'number wide-only' : 'number'}>
                        {word[language]}
                      </th>
                    ))}
              </tr>
            </thead>
            <tbody>
              {targets.map((each) => (
                <tr>
                  <ModelName asked={asked} model={each} />
                  <ContextCell tokens={each.context} language={language} />
                  {virtual.basis === 'own' ? null : (
                    <PriceCells price={each.prices[shownIn]} decimals={decimals} language={language} />
                  )}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </Sheet>
  );
}
