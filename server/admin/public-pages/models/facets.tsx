/** @jsxImportSource hono/jsx */
// The search and the facets of the catalogue: links beside the list, and a form that works on a phone and without scripts.
import { catalogueLink, counted } from './choice.ts';
import type { Listed } from './listed.ts';
import { kindName, WORDS } from './words.ts';

type Part = Pick<Listed, 'asked' | 'catalogue' | 'choice'>;

const vendorsOf = ({ catalogue }: Part) => counted(catalogue.models, ({ vendor }) => vendor || 'other');
const kindsOf = ({ catalogue }: Part) => counted(catalogue.models, ({ kind }) => kind || 'other');

function vendorName({ asked }: Part, value: string): string {
  return value === 'other' ? WORDS.other[asked.language] : value;
}

function nameOfKind({ asked }: Part, value: string): string {
  return kindName(value === 'other' ? '' : value, asked.language);
}

interface FacetProps {
  title: string;
  entries: readonly { href: string; name: string; count?: number; isChosen: boolean }[];
}

function Facet({ title, entries }: FacetProps) {
  return (
    <div class="facet">
      <h2>{title}</h2>
      <ul>
        {entries.map(({ href, name, count, isChosen }) => (
          <li>
            <a href={href} aria-current={isChosen ? 'true' : undefined}>
              <span>{name}</span>
              {count === undefined ? null : <span class="muted">{count}</span>}
            </a>
          </li>
        ))}
      </ul>
    </div>
  );
}

export function Facets(part: Part) {
  const { asked, catalogue, choice } = part;
  const { language } = asked;
  return (
    <div class="facets">
      {catalogue.groups.length < 2 ? null : (
        <Facet
          title={WORDS.group[language]}
          entries={catalogue.groups.map(({ name, ratio }) => ({
            href: catalogueLink(asked, choice, { group: name }),
            name: `${name} ${ratio}×`,
            isChosen: name === choice.group,
          }))}
        />
      )}
      <Facet
        title={WORDS.vendor[language]}
        entries={vendorsOf(part).map(({ value, count }) => ({
          href: catalogueLink(asked, choice, { vendor: value === choice.vendor ? '' : value }),
          name: vendorName(part, value),
          count,
          isChosen: value === choice.vendor,
        }))}
      />
      <Facet
        title={WORDS.kind[language]}
        entries={kindsOf(part).map(({ value, count }) => ({
          href: catalogueLink(asked, choice, { kind: value === choice.kind ? '' : value }),
          name: nameOfKind(part, value),
          count,
          isChosen: value === choice.kind,
        }))}
      />
    </div>
  );
}

function Select({
  name,
  label,
  value,
  options,
}: {
  name: string;
  label: string;
  value: string;
  options: readonly (readonly [string, string])[];
}) {
  return (
    <select class="input" name={name} aria-label={label}>
      {options.map(([option, text]) => (
        <option value={option} selected={option === value}>
          {text}
        </option>
      ))}
    </select>
  );
}

export function FilterForm(part: Part) {
  const { asked, catalogue, choice } = part;
  const { language } = asked;
  const isNarrowed = choice.q !== '' || choice.vendor !== '' || choice.kind !== '';
  return (
    <form class="filter" action="/models" data-filter>
      {asked.isLanguageNamed ? <input type="hidden" name="lang" value={language} /> : null}
      {choice.compare.length === 0 ? null : (
        <input type="hidden" name="compare" value={choice.compare.join(',')} />
      )}
      <input
        class="input"
        type="search"
        name="q"
        value={choice.q}
        aria-label={WORDS.search[language]}
        placeholder={WORDS.search[language]}
      />
      <div class="narrow-selects">
        <Select
          name="vendor"
          label={WORDS.vendor[language]}
          value={choice.vendor}
          options={[
            ['', WORDS.allVendors[language]],
            ...vendorsOf(part).map(({ value }) => [value, vendorName(part, value)] as const),
          ]}
        />
        <Select
          name="kind"
          label={WORDS.kind[language]}
          value={choice.kind}
          options={[
            ['', WORDS.allKinds[language]],
            ...kindsOf(part).map(({ value }) => [value, nameOfKind(part, value)] as const),
          ]}
        />
        {catalogue.groups.length < 2 ? null : (
          <Select
            name="group"
            label={WORDS.group[language]}
            value={choice.group}
            options={catalogue.groups.map(({ name, ratio }) => [name, `${name} ${ratio}×`] as const)}
          />
        )}
      </div>
      <button class="button no-script-only" type="submit">
        {WORDS.show[language]}
      </button>
      {isNarrowed ? (
        <a href={catalogueLink(asked, choice, { q: '', vendor: '', kind: '' })}>{WORDS.clear[language]}</a>
      ) : null}
    </form>
  );
}
