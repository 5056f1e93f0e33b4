/** The group of a token, with description and price ratio. Empty: the group of the account. */
import { Select } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import type { groupView } from '#contract/admin/users.ts';
import type { z } from 'zod';
import { useScope } from '#web/api/scope.ts';
import { GroupTag, RatioBadge } from '#web/ui/badge/tag.tsx';
import { Field } from '#web/ui/input/field.tsx';
import type { TokenForm } from './use-token-form.ts';
import classes from './form.module.css';

export type Groups = Record<string, z.output<typeof groupView>>;

/** A Select cannot have the empty string as a value. */
const OWN = '=';

interface GroupFieldProps {
  form: TokenForm;
  groups: Groups | undefined;
  ownGroup: string;
}

export function GroupField({ form, groups: loaded, ownGroup }: GroupFieldProps) {
  const { t } = useTranslation('tokens');
  const isShared = useScope() !== undefined;
  const groups = loaded ?? {};
  const chosen = form.values.group;
  // A token keeps its group after the group was withdrawn.
  const names = [...new Set([...Object.keys(groups), ...(chosen ? [chosen] : [])])];
  const choices = names.filter((name) => name !== ownGroup || chosen === name);
  const effective = chosen || ownGroup;
  const options = [
    { value: OWN, label: t(isShared ? 'form.groupShared' : 'form.groupOwn') },
    ...choices.map((name) => ({ value: name, label: groups[name]?.desc || name })),
  ];
  const ratio = groups[effective]?.ratio;
  return (
    <Field
      label={t('form.group')}
      {...form.row('group')}
      fact={ratio === undefined ? undefined : <RatioBadge ratio={ratio} />}
      hint={loaded && choices.length === 0 ? t('noGroups') : undefined}
    >
      <Select
        {...form.control('group')}
        value={chosen || OWN}
        data={options}
        allowDeselect={false}
        disabled={choices.length === 0}
        placeholder={t('form.groupPlaceholder')}
        leftSection={effective ? <GroupTag group={effective} /> : undefined}
        leftSectionWidth={effective ? 26 + effective.length * 7 : undefined}
        comboboxProps={{ width: 280, position: 'bottom-end' }}
        leftSectionPointerEvents="none"
        onChange={(value) => form.set('group', value === OWN || value === null ? '' : value)}
        renderOption={({ option }) => {
          const name = option.value === OWN ? ownGroup : option.value;
          const optionRatio = groups[name]?.ratio;
          return (
            <span className={`row8 grow ${classes.option}`}>
              <GroupTag group={name} />
              <span>{option.label}</span>
              {optionRatio === undefined ? null : <RatioBadge ratio={optionRatio} />}
            </span>
          );
        }}
      />
    </Field>
  );
}
