/** The form of a media tab: token, model, prompt, the few parameters that all models know, and the price. */
import { Button, FileInput, NumberInput, Select, Textarea, TextInput } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { IconPhotoPlus, IconSend2 } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { MUSIC_MODELS } from '#contract/relay/tasks.ts';
import type { TokenView } from '#contract/admin/tokens.ts';
import { NoticeLine } from '#web/ui/feedback/notice.tsx';
import { formatMoney } from '#web/ui/format/number.ts';
import { Field } from '#web/ui/input/field.tsx';
import { PRICE_DIGITS, type StudioPrice } from './studio-price.ts';
import type { StudioDraft } from './studio-request.ts';
import classes from './studio.module.css';

const SIZES = {
  image: ['1024x1024', '1536x1024', '1024x1536', '1792x1024', '1024x1792', '512x512'],
  video: ['1280x720', '720x1280', '1920x1080', '1080x1920', '1792x1024', '1024x1792'],
} as const;
const MOST_PICTURES = 10;
const MOST_SECONDS = 60;

interface StudioFormProps {
  draft: StudioDraft;
  onChange: (draft: StudioDraft) => void;
  onSend: () => void;
  /** Undefined while they are loaded. */
  tokens: readonly TokenView[] | undefined;
  token: TokenView | undefined;
  onToken: (id: number) => void;
  models: readonly string[] | undefined;
  price: StudioPrice | undefined;
}

export function StudioForm(props: StudioFormProps) {
  const { draft, onChange, onSend, tokens, token, models, price } = props;
  const { t } = useTranslation('playground');
  const { kind } = draft;
  const set = (part: Partial<StudioDraft>) => onChange({ ...draft, ...part });
  const canSend = token !== undefined && draft.model !== '' && draft.prompt.trim() !== '';
  return (
    <form
      className={`stack12 ${classes.form}`}
      aria-label={t(`tabs.${kind}`)}
      onSubmit={(event) => {
        event.preventDefault();
        onSend();
      }}
    >
      {tokens?.length === 0 ? (
        <NoticeLine>
          {t('studio.noToken')} <Link to="/token">{t('studio.makeToken')}</Link>
        </NoticeLine>
      ) : null}
      {models?.length === 0 ? <NoticeLine>{t('studio.noModel')}</NoticeLine> : null}
      <Field label={t('studio.token')} htmlFor="studio-token" fact={token?.group}>
        <Select
          id="studio-token"
          data={(tokens ?? []).map(({ id, name }) => ({ value: String(id), label: name }))}
          value={token === undefined ? null : String(token.id)}
          allowDeselect={false}
          onChange={(value) => value && props.onToken(Number(value))}
        />
      </Field>
      <Field label={t('studio.model')} htmlFor="studio-model">
        <Select
          id="studio-model"
          searchable
          data={[...(models ?? [])]}
          value={draft.model === '' ? null : draft.model}
          allowDeselect={false}
          onChange={(model) => model && set({ model })}
        />
      </Field>
      <Field label={t('studio.prompt')} htmlFor="studio-prompt">
        <Textarea
          id="studio-prompt"
          autosize
          minRows={4}
          maxRows={12}
          placeholder={t(`studio.hint.${draft.model === MUSIC_MODELS.lyrics ? 'lyrics' : kind}`)}
          value={draft.prompt}
          onChange={(event) => set({ prompt: event.currentTarget.value })}
        />
      </Field>
      {kind === 'music' ? <SongFields draft={draft} set={set} /> : <PictureFields draft={draft} set={set} />}
      <div className={`row12 between ${classes.send}`}>
        <Price price={price} />
        <Button type="submit" disabled={!canSend} leftSection={<IconSend2 size={15} stroke={1.6} />}>
          {t('studio.send')}
        </Button>
      </div>
    </form>
  );
}

interface PartProps {
  draft: StudioDraft;
  set: (part: Partial<StudioDraft>) => void;
}

function SongFields({ draft, set }: PartProps) {
  const { t } = useTranslation('playground');
  if (draft.model === MUSIC_MODELS.lyrics) return null;
  return (
    <div className={classes.pair}>
      <Field label={t('studio.title')} htmlFor="studio-title">
        <TextInput
          id="studio-title"
          maxLength={80}
          value={draft.title}
          onChange={(event) => set({ title: event.currentTarget.value })}
        />
      </Field>
      <Field label={t('studio.tags')} htmlFor="studio-tags">
        <TextInput
          id="studio-tags"
          maxLength={200}
          value={draft.tags}
          onChange={(event) => set({ tags: event.currentTarget.value })}
        />
      </Field>
    </div>
  );
}

function PictureFields({ draft, set }: PartProps) {
  const { t } = useTranslation('playground');
  const { kind } = draft;
  const isVideo = kind === 'video';
  // A task that is run again may have a size that is not offered.
  const sizes = [...SIZES[isVideo ? 'video' : 'image'], draft.size].filter((size) => size !== '');
  return (
    <>
      <div className={classes.pair}>
        <Field label={t('studio.size')} htmlFor="studio-size">
          <Select
            id="studio-size"
            data={[{ value: '', label: t('studio.asModel') }, ...new Set(sizes)]}
            value={draft.size}
            allowDeselect={false}
            onChange={(size) => set({ size: size ?? '' })}
          />
        </Field>
        {isVideo ? (
          <Field label={t('studio.seconds')} htmlFor="studio-seconds" fact={t('studio.secondsHint')}>
            <NumberInput
              id="studio-seconds"
              min={0}
              max={MOST_SECONDS}
              allowDecimal={false}
              value={draft.seconds}
              onChange={(value) => set({ seconds: Number(value) || 0 })}
            />
          </Field>
        ) : (
          <Field label={t('studio.count')} htmlFor="studio-count">
            <NumberInput
              id="studio-count"
              min={1}
              max={MOST_PICTURES}
              allowDecimal={false}
              value={draft.count}
              onChange={(value) => set({ count: Number(value) || 1 })}
            />
          </Field>
        )}
      </div>
      <Field label={t('studio.reference')} htmlFor="studio-reference">
        <FileInput
          id="studio-reference"
          accept="image/png,image/jpeg,image/webp"
          clearable
          clearButtonProps={{ 'aria-label': t('studio.removeReference') }}
          placeholder={t('studio.noReference')}
          leftSection={<IconPhotoPlus size={15} stroke={1.6} />}
          value={draft.reference ?? null}
          onChange={(file) => set({ reference: file ?? undefined })}
        />
      </Field>
      {isVideo && draft.reference === undefined ? (
        <Field label={t('studio.pictureUrls')} htmlFor="studio-picture-urls">
          <TextInput
            id="studio-picture-urls"
            inputMode="url"
            placeholder="https://"
            value={draft.pictureUrls}
            onChange={(event) => set({ pictureUrls: event.currentTarget.value })}
          />
        </Field>
      ) : null}
    </>
  );
}

function Price({ price }: { price: StudioPrice | undefined }) {
  const { t } = useTranslation('playground');
  const money = (dollars: number) =>
    formatMoney(dollars, dollars !== 0 && dollars < 0.01 ? PRICE_DIGITS : undefined);
  const text = () => {
    if (price === undefined) return '';
    if (price.kind === 'whole') return t('studio.price', { cost: money(price.dollars) });
    if (price.kind === 'second') return t('studio.pricePerSecond', { cost: money(price.dollars) });
    return t('studio.pricePerMillion', {
      input: formatMoney(price.input),
      output: formatMoney(price.output),
    });
  };
  return (
    <p className="soft tabular" role="status">
      {text()}
    </p>
  );
}
