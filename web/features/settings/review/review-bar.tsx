/** Always at the foot of the form: the number of changes, each change with an undo, discard and save. */
import { ActionIcon, Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import {
  IconArrowBackUp,
  IconArrowDown,
  IconArrowUp,
  IconChevronDown,
  IconChevronUp,
} from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { OptionField, PricedModel } from '#contract/options.ts';
import { Empty } from '#web/ui/badge/empty.tsx';
import { NoticeBox } from '#web/ui/feedback/notice.tsx';
import { useDisplay } from '#web/ui/format/display.ts';
import { formatMoney, quotaToMoney } from '#web/ui/format/number.ts';
import { changeLines, withoutEntryChange, type ChangeLine } from './changes.ts';
import { optionQueries } from '#web/features/settings/queries.ts';
import { recentDifference, unitPrice, type UnitPrice } from '#web/ui/sheet/dollars.ts';
import { mapsOf, SHEET_KEYS, rowOf, type RatioMaps } from '#web/ui/sheet/ratios.ts';
import type { OptionsForm } from '#web/features/settings/use-options.ts';
import classes from './review.module.css';

const MOST_LINES = 60;

const isRatio = (key: string) => (SHEET_KEYS as readonly string[]).includes(key);

function linesOf(form: OptionsForm, field: OptionField): ChangeLine[] {
  if (field.kind === 'secret') return [{ key: field.key, before: '', after: '' }];
  return changeLines(field, form.saved[field.key] ?? '', form.text(field.key));
}

export function ReviewBar({ form }: { form: OptionsForm }) {
  const { t } = useTranslation('settings');
  const [open, setOpen] = useState(false);
  const lines = form.changed.flatMap((field) => linesOf(form, field));
  const touchesPrices = form.changed.some(({ key }) => isRatio(key) || key === 'GroupRatio');
  const shown = open && lines.length > 0;
  return (
    <section className={classes.bar} data-changed={lines.length > 0 || undefined} aria-label={t('bar.label')}>
      {shown ? <Lines form={form} lines={lines} /> : null}
      {form.refusal.refused.other === undefined ? null : (
        <NoticeBox tone="danger">{form.refusal.refused.other}</NoticeBox>
      )}
      <div className={`wrap8 ${classes.foot}`}>
        <span className={classes.count} role="status">
          {lines.length === 0 ? (
            t('bar.none')
          ) : (
            <>
              <b>{t('bar.changes', { count: lines.length })}</b>
              <span className={classes.scope}>
                {t('bar.scope', { count: form.changed.length })}
                {touchesPrices ? ` · ${t('bar.running')}` : ''}
              </span>
            </>
          )}
        </span>
        {lines.length > 0 ? (
          <>
            <Button
              variant="subtle"
              aria-expanded={open}
              leftSection={
                open ? <IconChevronDown size={15} stroke={1.6} /> : <IconChevronUp size={15} stroke={1.6} />
              }
              onClick={() => setOpen(!open)}
            >
              {t(open ? 'bar.hide' : 'bar.review')}
            </Button>
            <Button variant="default" onClick={() => form.discard()}>
              {t('bar.discard')}
            </Button>
          </>
        ) : null}
        <Button variant={lines.length > 0 ? 'filled' : 'default'} loading={form.isSaving} onClick={form.save}>
          {t('bar.save')}
        </Button>
      </div>
    </section>
  );
}

function Lines({ form, lines }: { form: OptionsForm; lines: readonly ChangeLine[] }) {
  const { t } = useTranslation('settings');
  const priced = lines.some(({ key }) => isRatio(key));
  const { data: models } = useQuery({ ...optionQueries.models(), enabled: priced });
  const before = mapsOf(form.saved);
  const after = mapsOf(Object.fromEntries(SHEET_KEYS.map((key) => [key, form.text(key)])));
  return (
    <ul className={classes.lines}>
      {lines.slice(0, MOST_LINES).map((line) => {
        const field = form.fields.find(({ key }) => key === line.key);
        const name = line.entry ? `${line.key} ${line.entry}` : line.key;
        const undo = () => {
          if (line.entry === undefined) form.discard(line.key);
          else
            form.set({
              [line.key]: withoutEntryChange(form.saved[line.key] ?? '', form.text(line.key), line.entry),
            });
        };
        return (
          <li key={name} className={classes.line}>
            <code className="code anywhere">{line.key}</code>
            <span className={classes.entry}>{line.entry}</span>
            <span className={classes.change}>
              {field?.kind === 'secret' ? t('bar.set') : <BeforeAfter line={line} />}
            </span>
            <span className={classes.effect}>
              {before && after && isRatio(line.key) && line.entry ? (
                <PriceEffect model={line.entry} before={before} after={after} models={models} />
              ) : null}
            </span>
            <ActionIcon size={24} aria-label={t('bar.undo', { name })} onClick={undo}>
              <IconArrowBackUp size={15} stroke={1.6} />
            </ActionIcon>
          </li>
        );
      })}
      {lines.length > MOST_LINES ? (
        <li className={classes.line}>{t('bar.more', { count: lines.length - MOST_LINES })}</li>
      ) : null}
    </ul>
  );
}

const cut = (text: string) => (text.length > 120 ? `${text.slice(0, 120)}…` : text);

function BeforeAfter({ line }: { line: ChangeLine }) {
  return (
    <>
      {line.before === '' ? <Empty /> : <del>{cut(line.before)}</del>}
      <span aria-hidden> → </span>
      {line.after === '' ? <Empty /> : <ins>{cut(line.after)}</ins>}
    </>
  );
}

interface PriceEffectProps {
  model: string;
  before: RatioMaps;
  after: RatioMaps;
  models: readonly PricedModel[] | undefined;
}

function PriceEffect({ model, before, after, models }: PriceEffectProps) {
  const { t } = useTranslation('settings');
  const display = useDisplay();
  const facts = models?.find((candidate) => candidate.model === model);
  const old = rowOf(before, model, facts);
  const next = rowOf(after, model, facts);
  const difference = recentDifference(old, next);
  const words = {
    input: t('bar.input'),
    output: t('bar.output'),
    call: t('bar.perCall'),
    unit: t('bar.perMillion'),
  };
  return (
    <>
      <span>{priceWords(unitPrice(old), unitPrice(next), words)}</span>
      {difference === undefined || difference === 0 ? null : (
        <span className={classes.recent} data-up={difference > 0 || undefined}>
          {difference > 0 ? <IconArrowUp size={12} aria-hidden /> : <IconArrowDown size={12} aria-hidden />}
          {t('bar.recent', {
            money: `${difference > 0 ? '+' : '−'}${formatMoney(quotaToMoney(Math.abs(difference), display))}`,
          })}
        </span>
      )}
    </>
  );
}

interface PriceWords {
  input: string;
  output: string;
  call: string;
  unit: string;
}

/** The price that changes: output, else input. */
function priceWords(old: UnitPrice, next: UnitPrice, words: PriceWords): string {
  if (next === undefined) return '';
  if ('call' in next) {
    const was = old && 'call' in old ? `${formatMoney(old.call)} → ` : '';
    return `${words.call} ${was}${formatMoney(next.call)}`;
  }
  const was = old && 'input' in old ? old : undefined;
  const side = was && was.output === next.output && was.input !== next.input ? 'input' : 'output';
  return `${words[side]} ${was ? `${formatMoney(was[side])} → ` : ''}${formatMoney(next[side])} / 1M`;
}
