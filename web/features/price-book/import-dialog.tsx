/** Imports a price list by address, file or text. Files are read here: they are larger than a request may be. */
import { ActionIcon, Button, FileButton, Textarea, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { IconFileImport } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { readPriceList } from '#contract/money/price-lists.ts';
import { api } from '#web/api.ts';
import { DialogFrame } from '#web/ui/feedback/dialog-frame.tsx';
import { toast } from '#web/ui/feedback/toast.tsx';
import { FormElement } from '#web/ui/input/form-element.tsx';
import { RefusalNotice } from '#web/ui/input/refusal.tsx';
import { useFields } from '#web/ui/input/use-form.ts';
import { PRICES_KEY, priceQueries } from './queries.ts';
import classes from './price-book.module.css';

/** `isIcon`: for the phone's top bar. */
export function ImportButton({ isIcon = false }: { isIcon?: boolean }) {
  const { t } = useTranslation('price-book');
  const [isOpen, setOpen] = useState(false);
  const open = () => setOpen(true);
  return (
    <>
      {isIcon ? (
        <ActionIcon variant="filled" size={36} aria-label={t('review.import')} onClick={open}>
          <IconFileImport size={18} stroke={1.8} />
        </ActionIcon>
      ) : (
        <Button leftSection={<IconFileImport size={15} stroke={1.6} />} onClick={open}>
          {t('review.import')}
        </Button>
      )}
      {isOpen ? <ImportDialog onClose={() => setOpen(false)} /> : null}
    </>
  );
}

type Source = { url: string } | { origin: string; text: string };

function ImportDialog({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation('price-book');
  const form = useFields({ begin: () => ({ url: '', text: '' }) });
  const { url, text } = form.values;
  const [isUnreadable, setUnreadable] = useState(false);
  const client = useQueryClient();
  const read = useMutation({
    ...form.refusal.mutation,
    mutationFn: async (source: Source) => {
      if ('url' in source) return await api.priceBook.importAddress({ body: source });
      const list = readPriceList(source.text);
      if (list === undefined) return undefined;
      // Only the models of this gateway are sent; a public list has thousands.
      const known = new Set((await client.fetchQuery(priceQueries.models())).map(({ model }) => model));
      const { shape } = list;
      const models = list.models.filter(({ model }) => known.has(model));
      const result = await api.priceBook.importList({ body: { origin: source.origin, shape, models } });
      return { ...result, listed: list.models.length };
    },
    onSuccess: async (result) => {
      if (result === undefined) {
        setUnreadable(true);
        return;
      }
      await client.invalidateQueries({ queryKey: PRICES_KEY });
      const { listed, known, proposed } = result;
      toast.success(t('review.result', { listed, known, proposed }));
      onClose();
    },
  });
  const readFile = async (file: File | null) => {
    if (file) read.mutate({ origin: file.name.slice(0, 200), text: await file.text() });
  };
  return (
    <DialogFrame title={t('review.importTitle')} width={560} unsaved={form.unsaved} onClose={onClose}>
      <div className={`stack12 ${classes.form}`}>
        <p className={classes.dim}>{t('review.importHelp')}</p>
        <FormElement
          className={`flex8 start ${classes.line}`}
          form={{ submit: () => (url.trim() === '' ? undefined : read.mutate({ url: url.trim() })) }}
        >
          <TextInput
            {...form.field('url')}
            className={classes.grow}
            data-autofocus
            type="url"
            label={t('review.address')}
            placeholder="https://models.dev/api.json"
          />
          <Button type="submit" variant="default" loading={read.isPending} disabled={url.trim() === ''}>
            {t('review.read')}
          </Button>
        </FormElement>
        <FileButton accept="application/json,.json" onChange={(file) => void readFile(file)}>
          {(props) => (
            <Button variant="default" {...props} loading={read.isPending}>
              {t('review.choose')}
            </Button>
          )}
        </FileButton>
        <Textarea
          label={t('review.paste')}
          classNames={{ input: classes.mono }}
          minRows={4}
          maxRows={10}
          autosize
          spellCheck={false}
          value={text}
          error={isUnreadable ? t('review.unreadable') : form.errorOf('text')}
          onChange={(event) => {
            form.set('text', event.currentTarget.value);
            setUnreadable(false);
          }}
        />
        <RefusalNotice refusal={form.refusal} />
        <Button
          variant="default"
          loading={read.isPending}
          disabled={text.trim() === ''}
          onClick={() => read.mutate({ origin: t('review.paste'), text })}
        >
          {t('review.readText')}
        </Button>
      </div>
    </DialogFrame>
  );
}
