/** Both values of every field that two people changed, with the choice between them. */
import { Button, Modal } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Empty } from '#web/ui/badge/empty.tsx';
import { Moment } from '#web/ui/format/moment.tsx';
import { mergeOf, textOf, type Choice, type Difference, type Merge } from './differences.ts';
import classes from './conflict.module.css';

interface ConflictDialogProps {
  differences: readonly Difference[];
  /** Undefined: cancelled. */
  answer: (choices: ReadonlyMap<string, Choice> | undefined) => void;
}

export function ConflictDialog({ differences, answer }: ConflictDialogProps) {
  const { t } = useTranslation('conflict');
  const { t: ui } = useTranslation('ui');
  const [choices, setChoices] = useState<ReadonlyMap<string, Choice>>(
    () => new Map(differences.map((each) => [each.field, mergeOf(each) ? 'merged' : 'theirs'])),
  );
  return (
    <Modal
      opened
      size={720}
      onClose={() => answer(undefined)}
      title={t('title')}
      closeButtonProps={{ 'aria-label': ui('action.close') }}
    >
      <form
        onSubmit={(event) => {
          event.preventDefault();
          answer(choices);
        }}
      >
        <p className={classes.lead}>{t('lead')}</p>
        {differences.map((difference) => (
          <OneConflict
            key={difference.field}
            difference={difference}
            choice={choices.get(difference.field) ?? 'theirs'}
            onChoice={(choice) => setChoices((before) => new Map([...before, [difference.field, choice]]))}
          />
        ))}
        <div className="buttons-below">
          <Button variant="default" onClick={() => answer(undefined)}>
            {t('back')}
          </Button>
          <Button type="submit" data-autofocus>
            {t('save')}
          </Button>
        </div>
      </form>
    </Modal>
  );
}

const WORDS = { merged: 'merge', theirs: 'keep', mine: 'use' } as const satisfies Record<Choice, string>;

interface OneConflictProps {
  difference: Difference;
  choice: Choice;
  onChoice: (choice: Choice) => void;
}

function OneConflict({ difference, choice, onChoice }: OneConflictProps) {
  const { t } = useTranslation('conflict');
  const { field, label, isSecret, changedBy, changedAt } = difference;
  const merge = mergeOf(difference);
  const choices: Choice[] = merge ? ['merged', 'theirs', 'mine'] : ['theirs', 'mine'];
  return (
    <fieldset className={classes.conflict} data-field={field}>
      <legend className={classes.head}>
        <b>{label}</b>
        {label === field ? null : <code>{field}</code>}
      </legend>
      <p className={`note ${classes.by}`}>
        {t('by', { name: changedBy || t('other') })}
        {changedAt === 0 ? null : (
          <>
            {' · '}
            <Moment timestamp={changedAt} />
          </>
        )}
      </p>
      {isSecret ? <p className={`note ${classes.by}`}>{t('secret')}</p> : null}
      {merge ? <Members merge={merge} /> : null}
      {isSecret || merge ? null : (
        <div className={classes.values}>
          <Value title={t('theirs')} value={difference.theirsText ?? difference.theirs} />
          <Value title={t('mine')} value={difference.mine} />
        </div>
      )}
      <div className={classes.choices} role="radiogroup" aria-label={t('choice', { label })}>
        {choices.map((each) => (
          <label key={each}>
            <input
              type="radio"
              name={`conflict-${field}`}
              checked={choice === each}
              onChange={() => onChoice(each)}
            />
            {t(WORDS[each])}
          </label>
        ))}
      </div>
    </fieldset>
  );
}

function Value({ title, value }: { title: string; value: unknown }) {
  const text = textOf(value);
  return (
    <div className={classes.value}>
      <span>{title}</span>
      {text === '' ? <Empty /> : <pre tabIndex={0}>{text}</pre>}
    </div>
  );
}

/** The members that one of the two changed; the others are equal. */
function Members({ merge }: { merge: Merge }) {
  const { t } = useTranslation('conflict');
  const cell = (text: string | undefined) =>
    text === undefined ? <i className="muted">{t('gone')}</i> : text;
  return (
    <div className={classes.scroll} tabIndex={0}>
      <table className={classes.members}>
        <thead>
          <tr>
            <th>{t('member')}</th>
            <th>{t('theirs')}</th>
            <th>{t('mine')}</th>
            <th>{t('merged')}</th>
          </tr>
        </thead>
        <tbody>
          {merge.lines.map(({ name, theirs, mine, merged, isBoth }) => (
            <tr key={name} data-both={isBoth || undefined}>
              <td>
                {name}
                {isBoth ? <em>{t('both')}</em> : null}
              </td>
              <td>{cell(theirs)}</td>
              <td>{cell(mine)}</td>
              <td>{cell(merged)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
