/**
 * The prices of models as a sheet: white cells are what is set, shaded cells what follows from it in each group (they take dollars
 * too), hatched cells are disabled by the other kind of billing. The sheet edits the texts of the options.
 */
import { useCallback, useEffect, useMemo, useRef, useState, type ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { GroupTag } from '#web/ui/badge/tag.tsx';
import { NoticeBox } from '#web/ui/feedback/notice.tsx';
import { toast } from '#web/ui/feedback/toast.tsx';
import { usePhone } from '#web/ui/page/breakpoints.ts';
import type { PricedModel } from '#contract/options.ts';
import { useStoredFlag } from '#web/ui/preferences/stored-flag.ts';
import { SheetRow, type GroupColumn } from './ratio-row.tsx';
import { SheetTools, type Filter } from './sheet-tools.tsx';
import { withDollars, type DollarPart } from './dollars.ts';
import {
  mapsOf,
  parsed,
  RATIO_KEYS,
  rowOf,
  rowsOf,
  SHEET_KEYS,
  textsOf,
  withBilling,
  withCell,
  withoutModel,
  withPiece,
  withStored,
  type Billing,
  type RatioKey,
  type RatioMaps,
  type RatioRow,
  type Texts,
} from './ratios.ts';
import classes from './ratios.module.css';

const MOST_GROUPS = 4;

/** The texts of the price options that are edited. */
export interface SheetForm {
  text: (key: string) => string;
  /** As stored. */
  saved: Texts;
  set: (texts: Texts) => void;
}

export type Filtering = [filter: Filter, change: (filter: Filter) => void];
export const NO_FILTER: Filter = { text: '', unpriced: false };

interface PriceSheetProps {
  form: SheetForm;
  models: readonly PricedModel[];
  label: string;
  /** Where the form is built anew, its owner keeps the search. */
  filtering?: Filtering;
  /** Prices first, and the ratios behind a switch. */
  inDollars?: boolean;
  /** Beside the search, and before the button that adds a model. */
  start?: ReactNode;
  end?: ReactNode;
}

function groupColumns(text: string): GroupColumn[] {
  const value = parsed(text);
  const entries = typeof value === 'object' && value !== null ? Object.entries(value) : [];
  return entries.flatMap(([group, ratio]) => (typeof ratio === 'number' ? [{ group, ratio }] : []));
}

const draftMaps = (form: SheetForm): RatioMaps | undefined =>
  mapsOf(Object.fromEntries(SHEET_KEYS.map((key) => [key, form.text(key)])));

export function PriceSheet(props: PriceSheetProps) {
  const { form, models, label, filtering, inDollars = false, start, end } = props;
  const { t } = useTranslation('sheet');
  const phone = usePhone();
  const [asRatios, setAsRatios] = useStoredFlag('sheet-ratios', false);
  const ratios = asRatios || !inDollars;
  const own = useState(NO_FILTER);
  const [filter, setFilter] = filtering ?? own;
  // A model without a number is in none of the options, so its kind of billing is kept here.
  const [chosen, setChosen] = useState<Readonly<Record<string, Billing>>>({});
  const [added, setAdded] = useState<readonly string[]>([]);
  const latest = useRef(form);
  useEffect(() => {
    latest.current = form;
  });

  const maps = draftMaps(form);
  const before = useMemo(() => mapsOf(form.saved), [form.saved]);
  const facts = useMemo(() => new Map(models.map((model) => [model.model, model])), [models]);
  const groupText = form.text('GroupRatio');
  const { groups, hidden } = useMemo(() => {
    // Where prices are shown, a group of ratio 1 would repeat them.
    const every = groupColumns(groupText).filter(({ ratio }) => ratios || ratio !== 1);
    const most = phone ? 1 : MOST_GROUPS;
    return { groups: every.slice(0, most), hidden: every.slice(most).map(({ group }) => group) };
  }, [groupText, phone, ratios]);

  const edit = useCallback((change: (maps: RatioMaps) => RatioMaps) => {
    const now = draftMaps(latest.current);
    if (now) latest.current.set(textsOf(change(now)));
  }, []);
  const onCell = useCallback(
    (key: RatioKey, model: string, value: number | undefined) =>
      edit((now) => withCell(now, key, model, value)),
    [edit],
  );
  const onDollars = useCallback(
    (row: RatioRow, part: DollarPart, dollars: number) => {
      const now = draftMaps(latest.current);
      const next = now && withDollars(now, rowOf(now, row.model, row.facts), part, dollars);
      if (next) latest.current.set(textsOf(next));
      else toast.error(t('inputFirst'));
    },
    [t],
  );
  const onBilling = useCallback(
    ({ model, facts }: RatioRow, billing: Billing) => {
      setChosen((all) => ({ ...all, [model]: billing }));
      edit((now) => withBilling(now, model, billing, facts?.list_unit));
    },
    [edit],
  );
  const onResolutions = useCallback(
    ({ model, unit }: RatioRow, prices: Record<string, number>) =>
      edit((now) => withPiece(now, model, unit, prices)),
    [edit],
  );
  const onRemove = useCallback((model: string) => edit((now) => withoutModel(now, model)), [edit]);
  const onUndo = useCallback(
    (model: string) => {
      setChosen((all) => Object.fromEntries(Object.entries(all).filter(([name]) => name !== model)));
      edit((now) => {
        const stored = mapsOf(latest.current.saved);
        return stored === undefined ? withoutModel(now, model) : withStored(now, stored, model);
      });
    },
    [edit],
  );

  if (!maps || !before) return <NoticeBox tone="warning">{t('invalid')}</NoticeBox>;
  const rows = rowsOf(maps, models);
  const known = new Set(rows.map(({ model }) => model));
  const all = [
    ...added.filter((model) => !known.has(model)).map((model) => rowOf(maps, model, undefined)),
    ...rows,
  ];
  const wanted = filter.text.trim().toLowerCase();
  const shown = all.filter(
    (row) =>
      row.model.toLowerCase().includes(wanted) &&
      (!filter.unpriced || (row.facts?.unpriced === true && row.facts.offered)),
  );
  return (
    <>
      <SheetTools
        start={start}
        end={end}
        ratios={inDollars ? { shown: ratios, show: setAsRatios } : undefined}
        inDollars={!ratios}
        filter={filter}
        onFilter={setFilter}
        unpriced={models.filter((model) => model.unpriced && model.offered).length}
        names={known}
        onAdd={(model, billing, numbers) => {
          setAdded((names) => [model, ...names]);
          setChosen((ways) => ({ ...ways, [model]: billing }));
          setFilter({ text: '', unpriced: false });
          edit((now) =>
            withBilling(
              RATIO_KEYS.reduce((next, key) => withCell(next, key, model, numbers[key]), now),
              model,
              billing,
            ),
          );
        }}
      />
      {hidden.length > 0 ? (
        <p className={`note ${classes.hint}`}>{t('moreGroups', { groups: hidden.join(' · ') })}</p>
      ) : null}
      <div className={classes.scroll} tabIndex={0} role="region" aria-label={label}>
        <table className={classes.sheet}>
          <thead>
            <tr>
              <th rowSpan={2}>
                {t('model')} <span className="strong soft">{shown.length}</span>
              </th>
              <th rowSpan={2}>{t('billing')}</th>
              {ratios ? (
                (['price', 'ratio', 'completion'] as const).map((name) => (
                  <th key={name} rowSpan={2} data-number>
                    {t(name)}
                  </th>
                ))
              ) : (
                <th colSpan={2} className={classes.group}>
                  {t('perMillion')}
                </th>
              )}
              {groups.map(({ group, ratio }) => (
                <th key={group} colSpan={2} className={classes.group}>
                  <GroupTag group={group} /> {ratio}×
                </th>
              ))}
              <td rowSpan={2} className={classes.act} />
            </tr>
            <tr>
              {[...(ratios ? [] : [{ group: '' }]), ...groups].flatMap(({ group }) => [
                <th key={`${group}-in`} data-number>
                  {t('input')}
                </th>,
                <th key={`${group}-out`} data-number>
                  {t('output')}
                </th>,
              ])}
            </tr>
          </thead>
          <tbody>
            {shown.map((row) => (
              <SheetRow
                key={row.model}
                row={row}
                before={rowOf(before, row.model, facts.get(row.model))}
                billing={row.price === undefined ? (chosen[row.model] ?? row.billing) : row.billing}
                groups={groups}
                ratios={ratios}
                onCell={onCell}
                onDollars={onDollars}
                onBilling={onBilling}
                onResolutions={onResolutions}
                onRemove={onRemove}
                onUndo={onUndo}
              />
            ))}
          </tbody>
        </table>
        {shown.length === 0 ? <p className={classes.none}>{t(all.length === 0 ? 'empty' : 'none')}</p> : null}
      </div>
    </>
  );
}
