/** @jsxImportSource hono/jsx */
// Models beside each other; the address of a comparison can be sent to somebody.
import type { Child } from 'hono/jsx';
import type { PublicModel } from '#server/admin/public-model.ts';
import { short } from '#server/admin/public-pages/format.ts';
import { linkTo } from '#server/admin/public-pages/page.ts';
import { Nothing, Sheet } from '#server/admin/public-pages/parts.tsx';
import { Dollars, pathOfModel, seconds, Share } from './cells.tsx';
import { catalogueLink } from './choice.ts';
import type { Listed } from './listed.ts';
import { kindName, MODALITIES, WORDS } from './words.ts';

type Row = readonly [label: string, cell: (model: PublicModel) => Child];

function rowsOf({ asked, catalogue, choice, measured }: Listed): Row[] {
  const { language } = asked;
  const nothing = <Nothing label={WORDS.unknown[language]} />;
  const few = <Nothing label={WORDS.fewCalls[language]} />;
  const usage =
    (name: 'input' | 'output' | 'cached') =>
    ({ prices }: PublicModel): Child => {
      const price = prices[choice.group];
      return price?.kind === 'usage' ? <Dollars value={price[name]} /> : nothing;
    };
  const piece = ({ prices }: PublicModel): Child => {
    const price = prices[choice.group];
    if (price === undefined || price.kind === 'usage') return nothing;
    return (
      <>
        <Dollars value={price.price} /> {(price.kind === 'call' ? WORDS.perCall : WORDS.perSecond)[language]}
      </>
    );
  };
  const compared = catalogue.models.filter(({ name }) => choice.compare.includes(name));
  const isSoldBy = (usage: boolean) =>
    compared.some(({ prices }) => {
      const price = prices[choice.group];
      return price !== undefined && (price.kind === 'usage') === usage;
    });
  const all: Row[] = [
    [WORDS.vendor[language], ({ vendor }) => vendor || nothing],
    [WORDS.kind[language], ({ kind }) => kindName(kind, language)],
    [WORDS.context[language], ({ context }) => (context > 0 ? short(context) : nothing)],
    [WORDS.largest[language], ({ maxOutput }) => (maxOutput > 0 ? short(maxOutput) : nothing)],
    [WORDS.reads[language], ({ kind }) => MODALITIES[kind]?.reads[language] ?? nothing],
    [WORDS.writes[language], ({ kind }) => MODALITIES[kind]?.writes[language] ?? nothing],
    ...(isSoldBy(true)
      ? ([
          [WORDS.input[language], usage('input')],
          [WORDS.cached[language], usage('cached')],
          [WORDS.output[language], usage('output')],
        ] satisfies Row[])
      : []),
    ...(isSoldBy(false) ? ([[WORDS.price[language], piece]] satisfies Row[]) : []),
  ];
  if (measured === undefined) return all;
  return [
    ...all,
    [
      WORDS.firstToken[language],
      ({ name }) => {
        const first = measured.get(name)?.firstToken;
        return first === undefined ? few : `${seconds(first.median)} s`;
      },
    ],
    [
      WORDS.speed[language],
      ({ name }) => {
        const speed = measured.get(name)?.speed;
        return speed === undefined ? few : `${Math.round(speed.median)} tok/s`;
      },
    ],
    [
      WORDS.answered[language],
      ({ name }) => {
        const share = measured.get(name)?.share;
        return share === undefined ? few : <Share share={share} />;
      },
    ],
  ];
}

export function Comparison(listed: Listed) {
  const { asked, catalogue, choice } = listed;
  const { language } = asked;
  const models = choice.compare.flatMap(
    (name) => catalogue.models.find((model) => model.name === name) ?? [],
  );
  if (models.length === 0) return null;
  return (
    <Sheet
      id="compare"
      title={WORDS.comparison[language]}
      note={WORDS.perMillion[language]}
      end={<a href={catalogueLink(asked, choice, { compare: [] })}>{WORDS.clearComparison[language]}</a>}
    >
      <div class="scroll">
        <table class="comparison">
          <thead>
            <tr>
              <th scope="col">
                <span class="hidden">{WORDS.model[language]}</span>
              </th>
              {models.map(({ name }) => (
                <th scope="col">
                  <a href={linkTo(asked, pathOfModel(name))}>{name}</a>
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rowsOf(listed).map(([label, cell]) => (
              <tr>
                <th scope="row" class="row-label nowrap">
                  {label}
                </th>
                {models.map((model) => (
                  <td>{cell(model)}</td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </Sheet>
  );
}
