/** Edits a tag: renames or dissolves it, and overwrites models, groups or mapping of its channels, shown beforehand. */
import { TagsInput, TextInput } from '@mantine/core';
import { useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { MAPPING_TEMPLATE, type ChannelType, type ChannelView } from '#contract/relay/channel-fields.ts';
import { NoticeBox } from '#web/ui/feedback/notice.tsx';
import { toast } from '#web/ui/feedback/toast.tsx';
import { FormDialog } from '#web/ui/feedback/form-dialog.tsx';
import { useForm } from '#web/ui/input/use-form.ts';
import { PairEditor } from '#web/features/channels/form/pair-editor.tsx';
import { CHANNELS_KEY } from '#web/features/channels/queries.ts';
import { enabledOf, useAcceptsImpact } from './accepts-impact.tsx';
import { saveTag } from './save-tag.ts';
import { emptyTagValues, overwrites, tagBody, tagProblem } from './tag-values.ts';
import classes from './dialogs.module.css';

interface TagDialogProps {
  tag: string;
  channels: readonly ChannelView[];
  types: readonly ChannelType[] | undefined;
  groups: readonly string[] | undefined;
  onClose: () => void;
}

const LISTED = 4;

const LABELS = {
  new_tag: 'tag.newName',
  models: 'form.models',
  groups: 'form.groups',
  model_mapping: 'form.mapping',
} as const;

export function TagDialog({ tag, channels, types, groups, onClose }: TagDialogProps) {
  const { t } = useTranslation('channels');
  const { t: common } = useTranslation('ui');
  // What the operator saw when the dialog was opened; the list is read again meanwhile.
  const [loaded] = useState(channels);
  const known = useMemo(() => [...new Set(types?.flatMap((type) => type.models))], [types]);
  const acceptsImpact = useAcceptsImpact();
  const form = useForm({
    begin: () => emptyTagValues(tag),
    mayCall: (values) => {
      const problem = tagProblem(tag, values);
      if (problem === 'mappingNotJson') toast.error(t('error.mappingNotJson'));
      if (problem === 'nothingChanged') toast.warning(t('message.nothingChanged'));
      if (problem) return false;
      const { models, groups: given } = tagBody(tag, values);
      // No model loses its last channel, or the operator confirms.
      return (
        (models === undefined && given === undefined) ||
        acceptsImpact(enabledOf(channels), 'change', { models, groups: given })
      );
    },
    send: (values) =>
      saveTag(tagBody(tag, values), loaded, (field) =>
        field in LABELS ? t(LABELS[field as keyof typeof LABELS]) : field,
      ),
    onSent: () => {
      toast.success(t('message.tagUpdated'));
      onClose();
    },
    refresh: [CHANNELS_KEY],
  });
  const { values } = form;
  const dissolves = values.new_tag.trim() === '';
  return (
    <FormDialog
      width={560}
      title={t('tag.title', { tag })}
      submitLabel={common('action.save')}
      form={form}
      onClose={onClose}
    >
      <NoticeBox tone="info">{t('tag.overwriteNotice')}</NoticeBox>
      <TextInput
        {...form.field('new_tag')}
        data-autofocus
        label={t('tag.newName')}
        maxLength={64}
        autoComplete="off"
        description={dissolves ? t('tag.dissolves', { count: channels.length }) : t('tag.newNameHint')}
      />
      <TagsInput
        {...form.field('models')}
        label={t('form.models')}
        placeholder={values.models.length === 0 ? t('tag.unchanged') : undefined}
        value={[...values.models]}
        data={known}
        limit={100}
        splitChars={[',', '，', '\n']}
      />
      <TagsInput
        {...form.field('groups')}
        label={t('form.groups')}
        placeholder={values.groups.length === 0 ? t('tag.unchanged') : undefined}
        value={[...values.groups]}
        data={[...(groups ?? [])]}
        splitChars={[',', '，', '\n']}
      />
      <PairEditor
        {...form.field('model_mapping')}
        label={t('form.mapping')}
        fromLabel={t('form.mappingFrom')}
        toLabel={t('form.mappingTo')}
        template={JSON.stringify(MAPPING_TEMPLATE, null, 2)}
      />
      <Overwritten preview={overwrites(channels, values)} />
    </FormDialog>
  );
}

/** The channels that lose something by the change. */
function Overwritten({ preview }: { preview: ReturnType<typeof overwrites> }) {
  const { t } = useTranslation('channels');
  if (preview.length === 0) return null;
  return (
    <div className={classes.preview} role="status">
      <b>{t('tag.willOverwrite', { count: preview.length })}</b>
      <ul>
        {preview.slice(0, LISTED).map((each) => (
          <li key={each.id}>
            <span>{each.name}</span>
            {each.lostModels.length > 0 ? <del>{each.lostModels.slice(0, LISTED).join(', ')}</del> : null}
            {each.lostGroups.length > 0 ? <del>{each.lostGroups.join(', ')}</del> : null}
            {each.replacesMapping ? <del>{t('form.mapping')}</del> : null}
          </li>
        ))}
        {preview.length > LISTED ? <li>+{preview.length - LISTED}</li> : null}
      </ul>
    </div>
  );
}
