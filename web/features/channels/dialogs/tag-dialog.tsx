/** Edits a tag: renames or dissolves it, and overwrites models, groups or mapping of its channels, shown beforehand. */
import { Button, TagsInput, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { MAPPING_TEMPLATE, type ChannelType, type ChannelView } from '#contract/relay/channel-fields.ts';
import { NoticeBox } from '#web/ui/feedback/notice.tsx';
import { toast } from '#web/ui/feedback/toast.tsx';
import { CancelButton, DialogFrame } from '#web/ui/feedback/dialog-frame.tsx';
import { RefusalNotice, useRefusal } from '#web/ui/input/refusal.tsx';
import { PairEditor } from '#web/features/channels/form/pair-editor.tsx';
import { CHANNELS_KEY } from '#web/features/channels/queries.ts';
import { enabledOf, useAcceptsImpact } from './accepts-impact.tsx';
import { saveTag } from './save-tag.ts';
import { emptyTagValues, overwrites, tagBody, tagProblem, type TagValues } from './tag-values.ts';
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
  const client = useQueryClient();
  const [values, setValues] = useState<TagValues>(() => emptyTagValues(tag));
  // What the operator saw when the dialog was opened; the list is read again meanwhile.
  const [loaded] = useState(channels);
  const refusal = useRefusal(['new_tag', 'models', 'groups', 'model_mapping']);
  const set = (change: Partial<TagValues>) => {
    setValues((before) => ({ ...before, ...change }));
    refusal.clear();
  };
  const known = useMemo(() => [...new Set(types?.flatMap((type) => type.models))], [types]);
  const preview = overwrites(channels, values);
  const acceptsImpact = useAcceptsImpact();
  const save = useMutation({
    ...refusal.mutation,
    mutationFn: () =>
      saveTag(tagBody(tag, values), loaded, (field) =>
        field in LABELS ? t(LABELS[field as keyof typeof LABELS]) : field,
      ),
    onSuccess: () => {
      toast.success(t('message.tagUpdated'));
      onClose();
    },
    onSettled: () => client.invalidateQueries({ queryKey: CHANNELS_KEY }),
  });
  const submit = async () => {
    const problem = tagProblem(tag, values);
    if (problem === 'mappingNotJson') toast.error(t('error.mappingNotJson'));
    else if (problem === 'nothingChanged') toast.warning(t('message.nothingChanged'));
    else if (await accepts()) save.mutate();
  };
  /** True when no model loses its last channel, or the operator confirms. */
  const accepts = () => {
    const { models, groups: given } = tagBody(tag, values);
    if (models === undefined && given === undefined) return Promise.resolve(true);
    return acceptsImpact(enabledOf(channels), 'change', { models, groups: given });
  };
  const dissolves = values.new_tag.trim() === '';
  return (
    <DialogFrame width={560} onClose={onClose} title={t('tag.title', { tag })}>
      <form
        noValidate
        className={`stack12 ${classes.form}`}
        onSubmit={(event) => {
          event.preventDefault();
          void submit();
        }}
      >
        <NoticeBox tone="info">{t('tag.overwriteNotice')}</NoticeBox>
        <TextInput
          data-autofocus
          label={t('tag.newName')}
          value={values.new_tag}
          maxLength={64}
          autoComplete="off"
          description={dissolves ? t('tag.dissolves', { count: channels.length }) : t('tag.newNameHint')}
          error={refusal.errorOf('new_tag')}
          onChange={(event) => set({ new_tag: event.currentTarget.value })}
        />
        <TagsInput
          label={t('form.models')}
          placeholder={values.models.length === 0 ? t('tag.unchanged') : undefined}
          value={[...values.models]}
          data={known}
          limit={100}
          splitChars={[',', '，', '\n']}
          error={refusal.errorOf('models')}
          onChange={(models) => set({ models })}
        />
        <TagsInput
          label={t('form.groups')}
          placeholder={values.groups.length === 0 ? t('tag.unchanged') : undefined}
          value={[...values.groups]}
          data={[...(groups ?? [])]}
          splitChars={[',', '，', '\n']}
          error={refusal.errorOf('groups')}
          onChange={(next) => set({ groups: next })}
        />
        <PairEditor
          label={t('form.mapping')}
          fromLabel={t('form.mappingFrom')}
          toLabel={t('form.mappingTo')}
          value={values.model_mapping}
          template={JSON.stringify(MAPPING_TEMPLATE, null, 2)}
          error={refusal.errorOf('model_mapping')}
          onChange={(model_mapping) => set({ model_mapping })}
        />
        {preview.length > 0 ? (
          <div className={classes.preview} role="status">
            <b>{t('tag.willOverwrite', { count: preview.length })}</b>
            <ul>
              {preview.slice(0, LISTED).map((each) => (
                <li key={each.id}>
                  <span>{each.name}</span>
                  {each.lostModels.length > 0 ? (
                    <del>{each.lostModels.slice(0, LISTED).join(', ')}</del>
                  ) : null}
                  {each.lostGroups.length > 0 ? <del>{each.lostGroups.join(', ')}</del> : null}
                  {each.replacesMapping ? <del>{t('form.mapping')}</del> : null}
                </li>
              ))}
              {preview.length > LISTED ? <li>+{preview.length - LISTED}</li> : null}
            </ul>
          </div>
        ) : null}
        <RefusalNotice refusal={refusal} />
        <div className={`buttons-below ${classes.actions}`}>
          <CancelButton />
          <Button type="submit" loading={save.isPending}>
            {common('action.save')}
          </Button>
        </div>
      </form>
    </DialogFrame>
  );
}
