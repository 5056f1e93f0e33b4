/** The form of one draft: the sheet that edits it, what it changes against the running prices, its impact, and its publication. */
import { TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { PriceDraftDetail } from '#contract/money/price-book-views.ts';
import { NoticeBox } from '#web/ui/feedback/notice.tsx';
import { PriceSheet, type Filtering, type SheetForm } from '#web/ui/sheet/price-sheet.tsx';
import { parsed, type Texts } from '#web/ui/sheet/ratios.ts';
import { Changes } from './changes.tsx';
import { DraftActions } from './draft-actions.tsx';
import { Impact } from './impact.tsx';
import { LiveTable } from './live-table.tsx';
import { OPTIONS } from './options.ts';
import { OtherOptions } from './other-options.tsx';
import { priceQueries } from './queries.ts';
import classes from './price-book.module.css';

const NO_MODELS: never[] = [];

/** By name of the option, indented as people read JSON. */
const textsOf = (prices: Readonly<Record<string, unknown>>): Texts =>
  Object.fromEntries(OPTIONS.map((key) => [key, JSON.stringify(prices[key], null, 2)]));

/** What was typed, and the draft as it was then: somebody else may save it meanwhile. */
interface Typed {
  on: PriceDraftDetail;
  edits: Texts;
  reason: string;
}

const changedOf = (edits: Texts, saved: Texts) =>
  OPTIONS.filter((key) => {
    const text = edits[key];
    return text !== undefined && JSON.stringify(parsed(text)) !== JSON.stringify(parsed(saved[key] ?? ''));
  });

/** What was typed stays on the draft it was typed into. If it changes nothing there, the newest draft is shown. */
function shownOf(typed: Typed | undefined, newest: PriceDraftDetail): Typed {
  const fresh = { on: newest, edits: {}, reason: newest.reason };
  if (typed === undefined || typed.on.revision === newest.revision) return typed ?? fresh;
  const isChanged =
    typed.reason !== typed.on.reason || changedOf(typed.edits, textsOf(typed.on.prices)).length > 0;
  return isChanged ? typed : fresh;
}

interface DraftFormProps {
  /** Number 0: not stored yet. */
  draft: PriceDraftDetail;
  filtering: Filtering;
  /** A draft that was not stored yet is. */
  onCreated: (id: number) => void;
}

export function DraftForm({ draft: newest, filtering, onCreated }: DraftFormProps) {
  const { t } = useTranslation('price-book');
  const { data: models = NO_MODELS } = useQuery(priceQueries.sheetModels());
  const [typed, setTyped] = useState<Typed>();
  const shown = useMemo(() => shownOf(typed, newest), [typed, newest]);
  const { on: draft, edits, reason } = shown;
  const saved = useMemo(() => textsOf(draft.prices), [draft.prices]);
  const isOpen = draft.status === 'draft';
  const type = (part: (before: Typed) => Partial<Typed>) =>
    setTyped((typedBefore) => {
      const before = shownOf(typedBefore, newest);
      return { ...before, ...part(before) };
    });
  const form: SheetForm = {
    text: (key) => edits[key] ?? saved[key] ?? '{}',
    saved,
    set: (texts) => {
      if (isOpen) type((before) => ({ edits: { ...before.edits, ...texts } }));
    },
  };
  const changed = changedOf(edits, saved);
  const bad = changed.filter((key) => parsed(edits[key] ?? '') === undefined);
  const prices = Object.fromEntries(changed.map((key) => [key, parsed(edits[key] ?? '')]));
  return (
    <>
      {draft.error === '' ? null : <NoticeBox tone="danger">{draft.error}</NoticeBox>}
      <TextInput
        className={classes.reason}
        label={t('draft.reason')}
        placeholder={t('draft.reasonHint')}
        value={reason}
        maxLength={500}
        disabled={!isOpen}
        onChange={({ currentTarget: { value } }) => type(() => ({ reason: value }))}
      />
      <DraftActions
        draft={draft}
        edited={{
          prices,
          reason,
          isChanged: changed.length > 0 || reason !== draft.reason,
          isBad: bad.length > 0,
          isOutdated: draft.revision !== newest.revision,
        }}
        onDone={() => setTyped(undefined)}
        onCreated={onCreated}
      />
      {isOpen ? (
        <>
          <div className={classes.sheet}>
            <PriceSheet
              form={form}
              models={models}
              label={t('draft.sheet')}
              filtering={filtering}
              inDollars
            />
          </div>
          <LiveTable form={form} models={models} />
        </>
      ) : null}
      {newest.id === 0 ? null : (
        <>
          <Comparison draft={newest} />
          <Impact id={newest.id} revision={newest.revision} />
        </>
      )}
      {isOpen ? <OtherOptions form={form} bad={bad} /> : null}
    </>
  );
}

/** What publishing would change, and what changed in force since the draft was made. */
function Comparison({ draft }: { draft: PriceDraftDetail }) {
  const { t } = useTranslation('price-book');
  const isOpen = draft.status === 'draft' || draft.status === 'scheduled';
  return (
    <>
      {isOpen && draft.conflicts.length > 0 ? (
        <section className={`stack8 ${classes.block}`}>
          <NoticeBox tone="warning">
            <b>{t('draft.conflicts')}</b> {t('draft.conflictsText')}
          </NoticeBox>
          <Changes changes={draft.conflicts} label={t('draft.conflicts')} />
        </section>
      ) : null}
      {isOpen && draft.since.length > 0 ? (
        <section className={`stack8 ${classes.block}`}>
          <NoticeBox tone="info">
            <b>{t('draft.since')}</b> {t('draft.sinceText')}
          </NoticeBox>
          <Changes changes={draft.since} label={t('draft.since')} />
        </section>
      ) : null}
      <section className={`stack8 ${classes.block}`}>
        <h3>{t('draft.changes')}</h3>
        {draft.changes.length === 0 ? (
          <p className={classes.dim}>{t('draft.noChanges')}</p>
        ) : (
          <Changes changes={draft.changes} label={t('draft.changes')} />
        )}
      </section>
    </>
  );
}
