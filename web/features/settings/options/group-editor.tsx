/** Groups as one grid over two options: the ratio of every group, and which of them users may choose. */
import { ActionIcon, Button, Switch, TextInput } from '@mantine/core';
import { IconPlus, IconTrash } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { OptionField } from '#contract/options.ts';
import { currentLanguage } from '#web/i18n/i18n.ts';
import { GroupTag, RatioBadge } from '#web/ui/badge/tag.tsx';
import { confirm } from '#web/ui/feedback/dialog-store.ts';
import { toast } from '#web/ui/feedback/toast.tsx';
import { parsed } from '#web/features/settings/draft.ts';
import { optionQueries } from '#web/features/settings/queries.ts';
import { JsonSwitch } from './json-switch.tsx';
import { OptionRow } from './option-row.tsx';
import { readCell } from '#web/ui/sheet/ratios.ts';
import type { OptionsForm } from '#web/features/settings/use-options.ts';
import classes from './editors.module.css';
import formClasses from './form.module.css';

type Entries = Record<string, unknown>;

function entriesOf(text: string): Entries | undefined {
  const value = text.trim() === '' ? {} : parsed(text);
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Entries)
    : undefined;
}

const write = (entries: Entries) => JSON.stringify(entries, null, 2);

export function GroupEditor({ fields, form }: { fields: readonly OptionField[]; form: OptionsForm }) {
  const ratios = entriesOf(form.text('GroupRatio'));
  const usable = entriesOf(form.text('UserUsableGroups'));
  return (
    <JsonSwitch
      readable={ratios !== undefined && usable !== undefined}
      json={
        <div>
          {fields.map((field) => (
            <OptionRow key={field.key} field={field} form={form} />
          ))}
        </div>
      }
      form={<GroupGrid fields={fields} form={form} ratios={ratios ?? {}} usable={usable ?? {}} />}
    />
  );
}

interface GroupGridProps {
  fields: readonly OptionField[];
  form: OptionsForm;
  ratios: Entries;
  usable: Entries;
}

function GroupGrid({ fields, form, ratios, usable }: GroupGridProps) {
  const { t } = useTranslation('settings');
  const { data: uses } = useQuery(optionQueries.groupUse());
  const [name, setName] = useState('');
  const groups = [...new Set([...Object.keys(ratios), ...Object.keys(usable)])];
  const set = (ratio: Entries, choice: Entries) =>
    form.set({ GroupRatio: write(ratio), UserUsableGroups: write(choice) });
  const without = (entries: Entries, group: string) =>
    Object.fromEntries(Object.entries(entries).filter(([key]) => key !== group));
  const add = () => {
    const group = name.trim();
    if (group === '') return;
    if (groups.includes(group)) {
      toast.error(t('groups.exists'));
      return;
    }
    set({ ...ratios, [group]: 1 }, usable);
    setName('');
  };
  const useOf = (group: string) => uses?.find((use) => use.group === group);
  /** Users in the group make the removal impossible; tokens and channels are named first. */
  const remove = async (group: string) => {
    const { users = 0, tokens = 0, channels = 0 } = useOf(group) ?? {};
    if (users > 0) {
      toast.error(t('groups.inUse', { group, count: users }));
      return;
    }
    const isUnused = tokens === 0 && channels === 0;
    const sure =
      isUnused ||
      (await confirm({
        title: t('groups.removeTitle', { group }),
        body: t('groups.removeBody', { tokens, channels }),
        confirmLabel: t('groups.removeConfirm'),
        danger: true,
      }));
    if (sure) set(without(ratios, group), without(usable, group));
  };
  const errors = fields.flatMap(({ key, label }) => {
    const error = form.errorOf(key);
    return error ? [`${label[currentLanguage()]}${t('field.colon')}${error}`] : [];
  });
  return (
    <div className="stack8">
      <table className={classes.grid}>
        <thead>
          <tr>
            <th>{t('groups.group')}</th>
            <th data-number>{t('groups.ratio')}</th>
            <th>{t('groups.usable')}</th>
            <th>{t('groups.description')}</th>
            <th data-number>{t('groups.users')}</th>
            <th data-number>{t('groups.channels')}</th>
            <th aria-hidden />
          </tr>
        </thead>
        <tbody>
          {groups.map((group) => (
            <tr key={group} id={`group-${group}`}>
              <td>
                <GroupTag group={group} />
              </td>
              <td data-number>
                <RatioField
                  group={group}
                  value={ratios[group]}
                  onChange={(value) => set({ ...ratios, [group]: value }, usable)}
                />
              </td>
              <td>
                <Switch
                  aria-label={t('groups.usableOf', { group })}
                  checked={Object.hasOwn(usable, group)}
                  onChange={(event) =>
                    set(
                      ratios,
                      event.currentTarget.checked ? { ...usable, [group]: group } : without(usable, group),
                    )
                  }
                />
              </td>
              <td>
                <TextInput
                  aria-label={t('groups.descriptionOf', { group })}
                  disabled={!Object.hasOwn(usable, group)}
                  maxLength={200}
                  value={typeof usable[group] === 'string' ? usable[group] : ''}
                  onChange={(event) => set(ratios, { ...usable, [group]: event.currentTarget.value })}
                />
              </td>
              <td data-number data-label={t('groups.users')}>
                {useOf(group)?.users ?? 0}
              </td>
              <td data-number data-label={t('groups.channels')}>
                {useOf(group)?.channels ?? 0}
              </td>
              <td>
                {group === 'default' ? null : (
                  <ActionIcon aria-label={t('groups.remove', { group })} onClick={() => void remove(group)}>
                    <IconTrash size={15} stroke={1.6} />
                  </ActionIcon>
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      <form
        className={`row8 ${formClasses.addLine}`}
        onSubmit={(event) => {
          event.preventDefault();
          add();
        }}
      >
        <TextInput
          aria-label={t('groups.newName')}
          placeholder={t('groups.newName')}
          value={name}
          maxLength={64}
          onChange={(event) => setName(event.currentTarget.value)}
        />
        <Button type="submit" variant="default" leftSection={<IconPlus size={14} stroke={1.8} />}>
          {t('groups.add')}
        </Button>
      </form>
      {errors.map((error) => (
        <p key={error} className={formClasses.error} role="alert">
          {error}
        </p>
      ))}
    </div>
  );
}

interface RatioFieldProps {
  group: string;
  value: unknown;
  onChange: (value: number) => void;
}

/** Local text state: an unfinished number is not a number yet. */
function RatioField({ group, value, onChange }: RatioFieldProps) {
  const { t } = useTranslation('settings');
  const stored = typeof value === 'number' ? String(value) : '';
  const [typed, setTyped] = useState<string>();
  const bad = typed !== undefined && typeof readCell(typed) !== 'number';
  return (
    <span className={`inline8 ${classes.ratioField}`}>
      {typeof value === 'number' ? <RatioBadge ratio={value} /> : null}
      <TextInput
        className={classes.ratioInput}
        aria-label={t('groups.ratioOf', { group })}
        inputMode="decimal"
        value={typed ?? stored}
        error={bad}
        onChange={(event) => {
          const text = event.currentTarget.value;
          setTyped(text);
          const read = readCell(text);
          if (typeof read === 'number') onChange(read);
        }}
        onBlur={() => {
          if (bad) toast.error(t('problem.number'));
          setTyped(undefined);
        }}
      />
    </span>
  );
}
